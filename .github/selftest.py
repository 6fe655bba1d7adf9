"""Checks what one run of the action left: outputs, files, summary and comment.

    OUTPUTS='{"verdict": ...}' OUTCOME=success python3 .github/selftest.py pass

It needs Python only, so that it runs on the runner and in a job's container alike.
"""

import json
import os
import sys
import urllib.request
from pathlib import Path
from typing import Any, NamedTuple


class _Expected(NamedTuple):
    exit_code: int
    outcome: str
    word: str


_EXPECTED = {
    "pass": _Expected(0, "success", "passed"),
    "fail": _Expected(1, "failure", "failed"),
    "error": _Expected(2, "failure", "could not"),
}
_FILES = ("results", "responses", "summary-path", "junit")


def check(expected: str, outputs: dict[str, str], outcome: str) -> None:
    """Outputs and step agree with the verdict that was expected."""
    code, step, _ = _EXPECTED[expected]
    assert outcome == step, f"the step ended with {outcome}, not {step}"
    assert outputs["verdict"] == expected, outputs["verdict"]
    assert outputs["exit-code"] == str(code), outputs["exit-code"]
    assert len(outputs["dataset-hash"]) == 64, outputs["dataset-hash"]
    assert int(outputs["cases"]) > 0, outputs["cases"]
    scores = json.loads(outputs["scores"])
    if expected == "error":
        return
    assert isinstance(scores["retrieval.recall@5"], float), scores
    assert (int(outputs["failed-cases"]) > 0) >= (expected == "fail"), outputs["failed-cases"]


def check_files(outputs: dict[str, str]) -> None:
    """The results lie in the workspace and belong to whoever owns it."""
    owner = Path().stat()
    for name in _FILES:
        path = Path(outputs[name])
        assert not path.is_absolute(), f"{name} is {path}"
        for each in (path, *path.parents):
            found = each.stat()
            assert (found.st_uid, found.st_gid) == (owner.st_uid, owner.st_gid), (
                f"{each} belongs to {found.st_uid}:{found.st_gid}"
            )


def check_summary(word: str) -> None:
    """A summary that the runner took says the verdict; other runners keep none to look at."""
    folder = Path(os.environ.get("RUNNER_TEMP", "")) / "_runner_file_commands"
    taken = [path.read_text("utf-8") for path in folder.glob("step_summary_*-scrubbed")]
    if os.environ.get("RUNNER_ENVIRONMENT") == "github-hosted":
        assert taken, f"no summary in {folder}"
        assert any(word in text for text in taken), taken


def check_comment(word: str, outputs: dict[str, str]) -> None:
    """On a pull request of this repository there is a comment that says the verdict."""
    event = json.loads(Path(os.environ["GITHUB_EVENT_PATH"]).read_text("utf-8"))
    request = event.get("pull_request")
    token = os.environ.get("GH_TOKEN")
    if request is None or token is None:
        assert not outputs.get("comment-url"), outputs["comment-url"]
        return
    if request["head"]["repo"]["full_name"] != os.environ["GITHUB_REPOSITORY"]:
        return  # a fork's token may not comment
    address = (
        f"{os.environ['GITHUB_API_URL']}/repos/{os.environ['GITHUB_REPOSITORY']}"
        f"/issues/{request['number']}/comments?per_page=100"
    )
    headers = {
        "Authorization": f"Bearer {token}",
        "User-Agent": "ragproof-selftest",
        "X-GitHub-Api-Version": "2022-11-28",
    }
    for page in range(1, 100):
        asked = urllib.request.Request(f"{address}&page={page}", headers=headers)
        with urllib.request.urlopen(asked, timeout=30) as reply:
            comments: list[dict[str, Any]] = json.load(reply)
        found = [one["body"] for one in comments if one["html_url"] == outputs["comment-url"]]
        if found or not comments:
            break
    assert found, f"no comment {outputs['comment-url']}"
    assert word in found[0].lower(), found[0]


def main(expected: str) -> None:
    """Check everything; a failed assertion says what is wrong."""
    outputs: dict[str, str] = json.loads(os.environ["OUTPUTS"])
    word = _EXPECTED[expected].word
    check(expected, outputs, os.environ["OUTCOME"])
    check_files(outputs)
    check_summary(word)
    check_comment(word, outputs)
    print(f"as expected: {expected}")


if __name__ == "__main__":
    main(sys.argv[1])
