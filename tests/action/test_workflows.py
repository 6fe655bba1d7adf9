"""Our workflows and the examples: what they use is there, and they give no more than they must."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import click
import pytest
import yaml

from ragproof.cli.action import command

ROOT = Path(__file__).parents[2]
OURS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
EXAMPLES = sorted((ROOT / "examples" / "workflows").glob("*.yml"))
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("examples/**/*.md")])
NAME = "OWNER/ragproof-action@v1"
WRITES = {"pull-requests": "comment", "packages": "docker push"}
"""Permissions to write that an example may give, and what a job that has one does."""


class Source(NamedTuple):
    """A workflow with where it stands."""

    where: str
    text: str
    content: dict[str, Any]

    @property
    def triggers(self) -> dict[str, Any]:
        # YAML 1.1 takes `on` for a truth value.
        return dict(self.content[True])  # type: ignore[index]

    @property
    def jobs(self) -> dict[str, dict[str, Any]]:
        return dict(self.content["jobs"])

    def steps(self) -> Iterator[dict[str, Any]]:
        for job in self.jobs.values():
            yield from job.get("steps", [])


def load(paths: list[Path]) -> list[Source]:
    texts = [(path.name, path.read_text("utf-8")) for path in paths]
    return [Source(name, text, yaml.safe_load(text)) for name, text in texts]


def snippets() -> list[dict[str, Any]]:
    """Steps that use the action in fenced blocks of the documents."""
    found = []
    for page in PAGES:
        for block in re.findall(r"^```yaml\n(.*?)^```$", page.read_text("utf-8"), re.S | re.M):
            if "ragproof-action@" in block:
                found += [one for one in walk(yaml.safe_load(block)) if "uses" in one]
    return found


def walk(node: Any) -> Iterator[dict[str, Any]]:
    if isinstance(node, dict):
        yield node
    for each in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
        yield from walk(each)


def of_ours(steps: Iterator[dict[str, Any]] | list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Those steps that use this action."""
    return [one for one in steps if str(one.get("uses", "")).startswith((NAME, "./"))]


ALL = load(OURS + EXAMPLES)
every = pytest.mark.parametrize("source", ALL, ids=lambda source: source.where)
each_example = pytest.mark.parametrize("source", load(EXAMPLES), ids=lambda source: source.where)


def test_there_are_workflows() -> None:
    assert {one.where for one in ALL} >= {
        *("ci.yml", "selftest.yml", "release.yml", "ragproof.yml"),
        *("pull-request-service.yml", "pull-request-host.yml", "pull-request-preview.yml"),
        *("fork-gate.yml", "fork-comment.yml", "merge-queue.yml", "nightly.yml"),
        "regenerate.yml",
    }


@every
def test_inputs_and_their_values_are_known(source: Source, action: dict[str, Any]) -> None:
    options = {option.opts[-1].removeprefix("--"): option for option in command.params}
    for step in of_ours(source.steps()):
        for name, value in step.get("with", {}).items():
            assert name in action["inputs"]
            kind = options[name].type if name in options else None
            if isinstance(kind, click.Choice) and "${{" not in str(value):
                assert value in [str(choice) for choice in kind.choices]


def test_documents_use_known_inputs(action: dict[str, Any]) -> None:
    for step in of_ours(snippets()):
        assert set(step.get("with", {})) <= set(action["inputs"])


@pytest.mark.parametrize("page", [*PAGES, *OURS, *EXAMPLES], ids=lambda page: page.name)
def test_outputs_are_known(page: Path, action: dict[str, Any]) -> None:
    text = page.read_text("utf-8")
    ours = {step.get("id") for source in ALL for step in of_ours(source.steps())} | {"ragproof"}
    for step, name in re.findall(r"steps\.([\w-]+)\.outputs\.([\w-]+)", text):
        assert step not in ours or name in action["outputs"], f"{step}.{name}"


@every
def test_nobody_has_more_rights_than_needed(source: Source) -> None:
    assert source.content["permissions"] == {}
    for name, job in source.jobs.items():
        assert job["timeout-minutes"] <= 60, name
        assert "write-all" not in str(job.get("permissions")), name
        for step in job.get("steps", []):
            if str(step.get("uses", "")).startswith("actions/checkout@"):
                assert step["with"]["persist-credentials"] is False, name


@each_example
def test_examples_write_only_what_they_must(source: Source) -> None:
    for name, job in source.jobs.items():
        given = {one for one, level in job["permissions"].items() if level == "write"}
        assert given <= set(WRITES), name
        # What generates proposes with a token of its own.
        ours = [one for one in of_ours(job["steps"]) if one["with"].get("mode") != "generate"]
        comments = any(one["with"].get("comment") != "never" for one in ours)
        assert ("pull-requests" in given) == comments, name
        assert ("packages" in given) == ("docker push" in str(job["steps"])), name


@each_example
def test_examples_upload_what_there_is_whatever_happened(source: Source) -> None:
    gates = [job for job in source.jobs.values() if of_ours(job["steps"])]
    assert gates
    for job in gates:
        last = job["steps"][-1]
        assert last["uses"].startswith("actions/upload-artifact@")
        assert last["if"] == "always()"
        assert last["with"]["path"] == "ragproof-out"


@every
def test_actions_of_others_are_named_by_commit(source: Source) -> None:
    for line in re.findall(r"^.*\buses: .*$", source.text, re.M):
        if "uses: ./" in line or f"uses: {NAME}" in line:
            continue
        assert re.search(r"uses: [\w.-]+/[\w.-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$", line), line


def test_one_commit_an_action() -> None:
    """A pin that was renewed in one place only is a pin that was forgotten elsewhere."""
    pins: dict[str, set[str]] = {}
    for source in ALL:
        for name, pin in re.findall(r"uses: ([\w./-]+)@([0-9a-f]{40} # \S+)", source.text):
            pins.setdefault(name, set()).add(pin)
    assert {name: found for name, found in pins.items() if len(found) > 1} == {}


@every
def test_schedules_are_sane(source: Source) -> None:
    for entry in source.triggers.get("schedule") or []:
        minute, hour, *rest = entry["cron"].split()
        assert len(rest) == 3
        assert 0 < int(minute) < 60, "on the hour, runners are scarce"
        assert 0 <= int(hour) < 24


@every
def test_no_workflow_gives_strangers_a_token_that_writes(source: Source) -> None:
    assert "pull_request_target" not in source.triggers
    if "workflow_run" in source.triggers:
        assert "actions/checkout@" not in source.text
        assert not [step for step in source.steps() if "run" in step]


def test_the_pair_for_forks_fits_together() -> None:
    gate, comment = load(
        [ROOT / "examples/workflows" / f"fork-{x}.yml" for x in ("gate", "comment")]
    )
    assert comment.triggers["workflow_run"]["workflows"] == [gate.content["name"]]
    [uploaded] = [one for one in gate.steps() if "upload-artifact" in str(one.get("uses"))]
    [downloaded] = [one for one in comment.steps() if "download-artifact" in str(one.get("uses"))]
    [step] = of_ours(comment.steps())
    assert downloaded["with"]["name"] == uploaded["with"]["name"]
    assert step["with"] == {"mode": "comment", "results": downloaded["with"]["path"]}


def test_a_workflow_that_is_called_names_the_action_by_its_repository() -> None:
    called = [one for one in ALL if "workflow_call" in one.triggers]
    assert [one.where for one in called] == ["regenerate.yml"]
    for source in called:
        assert "uses: ./" not in source.text
        [step] = of_ours(source.steps())
        inputs = source.triggers["workflow_call"]["inputs"]
        given = {name for name in inputs if f"${{{{ inputs.{name} }}}}" in str(step)}
        assert given == set(inputs)
        assert set(source.triggers["workflow_dispatch"]["inputs"]) <= set(inputs)
        job = source.jobs["regenerate"]
        assert job["permissions"] == {"contents": "write", "pull-requests": "write"}


def calls() -> list[dict[str, Any]]:
    """Jobs in fenced blocks of the documents that call a workflow of ours."""
    found = []
    for page in PAGES:
        for block in re.findall(r"^```yaml\n(.*?)^```$", page.read_text("utf-8"), re.S | re.M):
            if "ragproof-action/.github" in block:
                found += [one for one in walk(yaml.safe_load(block)) if "uses" in one]
    return found


def test_documents_call_what_is_there() -> None:
    assert calls()
    for job in calls():
        name = job["uses"].removeprefix("OWNER/ragproof-action/").removesuffix("@v1")
        [source] = load([ROOT / name])
        called = source.triggers["workflow_call"]
        assert set(job["with"]) <= set(called["inputs"])
        assert {key for key, one in called["inputs"].items() if one.get("required")} <= set(
            job["with"]
        )
        assert set(job["secrets"]) <= set(called["secrets"])
        assert job["permissions"] == source.jobs["regenerate"]["permissions"]


def test_everything_is_required() -> None:
    [ci] = load([ROOT / ".github" / "workflows" / "ci.yml"])
    required = ci.jobs["required"]
    assert sorted(required["needs"]) == sorted(set(ci.jobs) - {"required"})
    assert required["steps"][0]["run"].count("success") == len(required["needs"])
