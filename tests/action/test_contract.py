"""action.yml, the command line, the image and the locks say the same."""

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import Any

import click
import pytest

from ragproof.cli.action import command
from ragproof.github.outputs import OUTPUTS
from ragproof.version import __version__

ROOT = Path(__file__).parents[2]
TOKEN = "github-token"
SECRETS = [TOKEN, "model-key"]


def options() -> dict[str, click.Option]:
    """The options of ``ragproof action``, by name."""
    found = (option for option in command.params if isinstance(option, click.Option))
    named = ((max(option.opts, key=len), option) for option in found if not option.hidden)
    return {name.removeprefix("--"): option for name, option in named}


def test_inputs_are_the_options_and_the_secrets(action: dict[str, Any]) -> None:
    assert sorted(action["inputs"]) == sorted([*options(), *SECRETS])


def test_no_input_but_the_token_has_a_default(action: dict[str, Any]) -> None:
    """What is not set is decided by the configuration or the command line, once."""
    given = {name: one["default"] for name, one in action["inputs"].items() if "default" in one}
    assert given == {TOKEN: "${{ github.token }}"}
    assert not any(one["required"] for one in action["inputs"].values())


def test_every_option_takes_one_value() -> None:
    """An input is one text: nothing is a flag, nothing is given twice."""
    for name, option in options().items():
        assert not option.is_flag, name
        assert not option.multiple, name
        assert option.nargs == 1, name


def test_descriptions_name_every_choice(action: dict[str, Any]) -> None:
    for name, option in options().items():
        if isinstance(option.type, click.Choice) and set(option.type.choices) != {"true", "false"}:
            text = action["inputs"][name]["description"]
            assert [str(one) for one in option.type.choices if f"`{one}`" not in text] == [], name


def test_outputs_are_those_that_are_written(action: dict[str, Any]) -> None:
    assert sorted(action["outputs"]) == sorted(OUTPUTS)


def test_everything_is_described(action: dict[str, Any]) -> None:
    for name, one in (action["inputs"] | action["outputs"]).items():
        assert one["description"].strip().endswith("."), name
        assert name == name.lower()
    assert len(action["description"]) < 125, "the marketplace cuts it"
    assert action["runs"] == {"using": "docker", "image": "Dockerfile"}


def test_the_image_states_the_version() -> None:
    dockerfile = (ROOT / "Dockerfile").read_text("utf-8")
    assert re.findall(r'image\.version="(.*?)"', dockerfile) == [__version__]


def test_the_image_is_of_one_python() -> None:
    dockerfile = (ROOT / "Dockerfile").read_text("utf-8")
    bases = re.findall(r"^FROM (\S+)", dockerfile, re.M)
    assert set(bases) - {"dependencies"} == {"python:3.13-slim"}
    assert "USER" not in dockerfile.split()


def versions(name: str) -> dict[str, set[str]]:
    """The versions that a lock states, by package."""
    found: dict[str, set[str]] = {}
    for line in (ROOT / "requirements" / name).read_text("utf-8").splitlines():
        if match := re.match(r"([a-z0-9-]+)==(\S+)", line):
            found.setdefault(match[1], set()).add(match[2])
    return found


@pytest.mark.parametrize("name", ["run.txt", "image.txt"])
def test_what_is_shipped_is_what_is_tested(name: str) -> None:
    tested = versions("dev.txt")
    assert versions(name)
    assert {one: tested.get(one) for one in versions(name)} == versions(name)


def test_the_image_holds_what_the_package_asks_for() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    asked = project["dependencies"] + project["optional-dependencies"]["ingest"]
    names = {re.split(r"[<>=!~;\[ ]", one)[0] for one in asked}
    assert names <= set(versions("image.txt"))


@pytest.mark.parametrize(
    "path", sorted(ROOT.glob("requirements/*.txt")), ids=lambda path: path.name
)
def test_locks_hold_hashes_and_no_address(path: Path) -> None:
    text = path.read_text("utf-8")
    assert text.count("==") > 0
    for block in re.split(r"\n(?=[a-z0-9])", text)[1:]:
        assert "--hash=sha256:" in block, block
    assert "://" not in text


def test_the_build_context_holds_nothing_else() -> None:
    """What the Dockerfile copies is let in by name, all else stays out."""
    ignored = (ROOT / ".dockerignore").read_text("utf-8").splitlines()
    let_in = {line[1:] for line in ignored if line.startswith("!")}
    assert "*" in ignored
    copied: set[str] = set()
    for line in (ROOT / "Dockerfile").read_text("utf-8").splitlines():
        if line.startswith("COPY ") and "--from" not in line:
            copied.update(line.split()[1:-1])
    assert copied == let_in


def third_party() -> Iterator[tuple[str, str]]:
    """What our modules import of others, with where."""
    ours = {"ragproof", "__future__"}
    for path in sorted((ROOT / "src").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom):
                names = [node.module or ""]
            elif isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            else:
                continue
            for name in {one.partition(".")[0] for one in names}:
                if name not in ours and name not in sys.stdlib_module_names:
                    yield name, path.relative_to(ROOT).as_posix()


def test_everything_that_is_imported_is_in_the_image() -> None:
    """Something that only the tests ask for would be missing where it counts."""
    packages = packages_distributions()
    locked = set(versions("image.txt"))
    missing = {
        f"{where}: {name}"
        for name, where in third_party()
        if not {one.lower().replace("_", "-") for one in packages.get(name, ["?"])} & locked
    }
    assert missing == set()


HEAVY = ("pypdf", "docx", "lxml", "cryptography", "markdown_it", "json_repair")


def test_asking_imports_nothing_that_only_reading_needs(tmp_path: Path) -> None:
    """A run starts without what makes datasets: it is there, but costs nothing."""
    script = (
        "import sys; from ragproof.cli import main;"
        "code = main(['demo', '--out', sys.argv[1]]); assert code in (0, 1), code;"
        "print('imported', [name for name in sys.argv[2:] if name in sys.modules])"
    )
    command = [sys.executable, "-c", script, str(tmp_path / "out"), *HEAVY]
    done = subprocess.run(command, text=True, capture_output=True, check=True)
    assert done.stdout.splitlines()[-1] == "imported []"
