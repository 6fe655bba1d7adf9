"""What the documents say holds."""

import importlib.util
import json
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
import yaml

from ragproof.cli import cli
from ragproof.config.endpoint import ResponseMapping
from ragproof.config.models import Config
from ragproof.dataset.load import load_dataset
from ragproof.endpoint.mapping import ResponseReader

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("benchmarks/*.md")])


def blocks(language: str) -> Iterator[tuple[str, str]]:
    """Fenced blocks of a language, with where they stand."""
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for match in re.finditer(rf"^```{language}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE):
            line = text.count("\n", 0, match.start()) + 1
            yield f"{page.name}:{line}", match[1]


def generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location("docs", ROOT / "scripts" / "generate_docs.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", ["cli.md", "inputs.md", "metrics.md"])
def test_generated_pages_are_up_to_date(name: str) -> None:
    assert (ROOT / "docs" / name).read_text(encoding="utf-8") == generator().PAGES[name]()


@pytest.mark.parametrize(("where", "text"), list(blocks("yaml")))
def test_yaml_examples_are_configurations_or_workflows(where: str, text: str) -> None:
    value = yaml.safe_load(text)
    if "jobs" not in value:
        Config.model_validate(value)
        return
    inputs = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))["inputs"]
    steps = [step for job in value["jobs"].values() for step in job.get("steps", [job])]
    ours = [step for step in steps if "ragproof-action" in step.get("uses", "")]
    assert ours
    for step in ours:
        if "/.github/workflows/" not in step["uses"]:  # those have inputs of their own
            assert set(step.get("with", {})) <= set(inputs)


def test_there_are_examples() -> None:
    assert len(list(blocks("yaml"))) >= 4
    assert len(list(blocks("json"))) >= 1


@pytest.mark.parametrize(("where", "text"), list(blocks("json")))
def test_json_examples_are_datasets(where: str, text: str, tmp_path: Path) -> None:
    path = tmp_path / "dataset.jsonl"
    path.write_text(text, encoding="utf-8")
    assert len(load_dataset(path).cases) == len(text.splitlines())


def test_mappings_of_known_servers_compile() -> None:
    text = (ROOT / "docs" / "configuration.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([^|]+) \| (?:`([^`]*)`|[^|`]*) \| `([^`]*)` \|$", text, re.MULTILINE)
    assert len(rows) >= 8
    for _, body, response in rows:
        mapping = ResponseMapping.model_validate(yaml.safe_load(response))
        request = {"url": "http://localhost", "response": mapping.model_dump(exclude_none=True)}
        if body:
            request["body"] = yaml.safe_load(body)
        config = Config.model_validate({"endpoint": request})
        assert config.endpoint is not None
        ResponseReader(config.endpoint.requests())


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", text):
        if not target.startswith("https://"):
            assert (page.parent / target).exists(), target


def test_commands_named_in_the_documents_exist() -> None:
    text = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z]+):", makefile, re.MULTILINE))
    assert set(re.findall(r"^make ([a-z]+)", text, re.MULTILINE)) <= targets
    commands = set(cli.list_commands(None))  # type: ignore[arg-type]
    assert set(re.findall(r"^ragproof ([a-z]+)", text, re.MULTILINE)) <= commands


def test_the_json_of_the_readme_is_one_line_a_case() -> None:
    for _, text in blocks("json"):
        for line in text.splitlines():
            assert isinstance(json.loads(line), dict)
