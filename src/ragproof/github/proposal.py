"""The one pull request that proposes new files: opened, or brought up to date.

Its branch is ours alone. A commit of anyone else's at its head ends the matter: people edit what
is proposed to them, and nothing may write over that.
"""

from collections.abc import Mapping
from typing import NamedTuple

from ragproof.github.api import Api, ApiError
from ragproof.github.gitdata import (
    Commit,
    create_branch,
    head_of,
    is_branch,
    move_branch,
    read_commit,
    write_commit,
    write_tree,
)
from ragproof.github.pulls import OpenPull, create_pull, find_pull, update_pull
from ragproof.github.stamp import Stamp, read_stamp, stamped

DEFAULT_AUTHOR = "github-actions[bot]"
_MOST_MOVES = 4
"""So often a branch may move under our hands before we give up."""


class Proposal(NamedTuple):
    """What is proposed, to whom.

    ``branch`` and ``base`` are names of branches: ours, and the one to merge into. ``commit`` is
    the one that the files were made from: if the base has since changed the same files, people
    see a conflict and not their changes undone. ``files`` go by their paths from the top of the
    repository; where those of the ``core`` are in the base already, nothing is proposed.
    ``run_id`` and ``attempt`` grow with time: what a later run proposed stays.
    """

    branch: str
    base: str
    commit: str
    files: Mapping[str, bytes]
    core: frozenset[str]
    title: str
    message: str
    body: str
    run_id: int
    attempt: int


class Proposed(NamedTuple):
    """The address of the pull request, and why nothing was proposed, a sentence, or nothing.

    ``bot`` says that the pull request is that of the default token."""

    url: str | None
    note: str
    bot: bool = False


def check_branch(api: Api, branch: str, base: str) -> None:
    """See that the branch is ours to move, or not there, before any work is done for it.

    Raises:
        ApiError: it is not, or GitHub does not say.
    """
    if not is_branch(branch):
        raise ApiError(
            f"{branch!r} is no name for the branch of a proposal",
            "use letters, digits, and . _ - / between them",
        )
    if branch == base:
        raise ApiError(
            f"the branch {branch} cannot be proposed to itself", "name another with branch"
        )
    _our_head(api, branch)


def propose(api: Api, proposal: Proposal) -> Proposed:
    """Bring the branch and its pull request to what is proposed.

    What was there is looked up anew after each call that came to nothing: it may have written
    all the same, and so may others. So nothing is ever doubled.

    Raises:
        ApiError: the branch is not ours, or GitHub does not do it within the budget.
    """
    check_branch(api, proposal.branch, proposal.base)
    base = read_commit(api, proposal.commit)
    core = {path: data for path, data in proposal.files.items() if path in proposal.core}
    if write_tree(api, base.tree, core) == base.tree:
        return Proposed(None, _nothing_new(api, proposal))
    tree = write_tree(api, base.tree, proposal.files)
    note = _bring_branch(api, proposal, base, tree)
    if note:
        found = find_pull(api, proposal.branch, proposal.base)
        return Proposed(None if found is None else found.url, note)
    pull = _bring_pull(api, proposal)
    return Proposed(pull.url, "", pull.author == DEFAULT_AUTHOR)


def _nothing_new(api: Api, proposal: Proposal) -> str:
    names = " and ".join(sorted(proposal.core))
    note = f"{proposal.base} has exactly this {names} already"
    found = find_pull(api, proposal.branch, proposal.base)
    if found is None:
        return note
    return (
        f"{note}; pull request #{found.number} of an earlier run is out of date and can be closed"
    )


def _bring_branch(api: Api, proposal: Proposal, base: Commit, tree: str) -> str:
    """Have the branch end in our commit; return why it does not, or nothing."""
    tries = moves = 0
    while True:
        head = _our_head(api, proposal.branch)
        if head is not None and _is_newer(head, proposal):
            return f"a later run has already proposed on {proposal.branch}"
        if head is not None and head.tree == tree and base.sha in head.parents:
            return ""
        try:
            _write_branch(api, proposal, base, tree, head)
        except ApiError as error:
            if error.status in (409, 422) and moves < _MOST_MOVES:
                moves += 1  # someone moved, made or deleted it between our looking and writing
                if _moved(api, proposal.branch, head):
                    continue
            tries += 1
            api.pause(error, tries)
        else:
            return ""


def _write_branch(
    api: Api, proposal: Proposal, base: Commit, tree: str, head: Commit | None
) -> None:
    """Write our commit and have the branch lead to it.

    Where a pull request is open, the commit stands on the one that is there: then the branch can
    move only if nobody has moved it meanwhile. What was merged or closed is begun anew.
    """
    message = stamped(proposal.message, Stamp(tree, proposal.run_id, proposal.attempt))
    if head is None:
        commit = write_commit(api, message, tree, [base.sha])
        create_branch(api, proposal.branch, commit.sha)
        return
    goes_on = find_pull(api, proposal.branch, proposal.base) is not None
    parents = [head.sha, base.sha] if goes_on else [base.sha]
    commit = write_commit(api, message, tree, parents)
    move_branch(api, proposal.branch, commit.sha, force=not goes_on)


def _moved(api: Api, branch: str, seen: Commit | None) -> bool:
    return head_of(api, branch) != (None if seen is None else seen.sha)


def _bring_pull(api: Api, proposal: Proposal) -> OpenPull:
    tries = 0
    while True:
        found = find_pull(api, proposal.branch, proposal.base)
        try:
            if found is None:
                found = create_pull(
                    api, proposal.branch, proposal.base, proposal.title, proposal.body
                )
            elif (found.title, found.body) != (proposal.title, proposal.body):
                update_pull(api, found.number, proposal.title, proposal.body)
        except ApiError as error:
            tries += 1
            api.pause(error, tries)
        else:
            return found


def _our_head(api: Api, branch: str) -> Commit | None:
    """The commit that our branch is at; ``None`` where there is no branch.

    Raises:
        ApiError: that commit is not ours.
    """
    sha = head_of(api, branch)
    if sha is None:
        return None
    commit = read_commit(api, sha)
    stamp = read_stamp(commit.message)
    if stamp is None or stamp.tree != commit.tree:
        raise ApiError(
            f"the branch {branch} ends in a commit that ragproof did not make ({sha[:12]}), which"
            " would be lost",
            "merge or close its pull request and delete the branch, or name another with branch",
        )
    return commit


def _is_newer(head: Commit, proposal: Proposal) -> bool:
    stamp = read_stamp(head.message)
    own = (proposal.run_id, proposal.attempt)
    return stamp is not None and (stamp.run_id, stamp.attempt) > own
