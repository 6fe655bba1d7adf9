"""A module imports only from lower layers, also where it imports late."""

import ast
import subprocess
import sys
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import ragproof

ROOT = Path(ragproof.__file__).parent

# Lowest first. What stands on one line does not import from each other.
LAYERS: tuple[tuple[str, ...], ...] = (
    ("errors", "version", "records"),
    ("__init__", "files", "graphemes", "redact", "selector", "strictjson"),
    ("metrics", "stats"),
    ("config", "dataset"),
    ("endpoint", "scoring"),
    ("corpus", "gate", "llm"),
    ("results",),
    ("demo", "evaluation", "generate", "regate", "report"),
    ("pipeline",),
    ("github",),
    ("cli",),
    ("__main__",),
)
LEVEL = {unit: level for level, units in enumerate(LAYERS) for unit in units}


def module_name(path: Path) -> str:
    """``cli.run``; a package goes by its own name."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" and len(parts) > 1 else parts)


FILES = {module_name(path): path for path in ROOT.rglob("*.py")}


def imports_of(source: str) -> set[str]:
    """Modules of ours that a source imports anywhere in it."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
            found |= {name if own(name) in FILES else node.module or "" for name in names}
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    return {own(name) for name in found if name.partition(".")[0] == "ragproof"}


def own(name: str) -> str:
    return name.removeprefix("ragproof").removeprefix(".") or "__init__"


IMPORTS = {name: imports_of(path.read_text(encoding="utf-8")) for name, path in FILES.items()}


def unit(module: str) -> str:
    return module.partition(".")[0]


def test_every_module_has_a_layer() -> None:
    assert {unit(module) for module in FILES} == set(LEVEL)


@pytest.mark.parametrize("module", FILES)
def test_imports_come_from_lower_layers(module: str) -> None:
    own_level = LEVEL[unit(module)]
    wrong = [
        other
        for other in IMPORTS[module]
        if unit(other) != unit(module) and LEVEL[unit(other)] >= own_level
    ]
    assert not wrong, f"{module} imports {', '.join(wrong)}"


def test_no_cycles() -> None:
    order = list(TopologicalSorter(IMPORTS).static_order())
    assert set(FILES) <= set(order)


def test_the_reader_of_imports_sees_them() -> None:
    source = """
import ragproof.gate
from ragproof import metrics, __version__
def late():
    from ragproof.config.load import load_config
    import ragproof.cli.run as run
"""
    assert imports_of(source) == {"gate", "metrics", "__init__", "config.load", "cli.run"}


def imported_by(code: str) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-c", f"import sys\n{code}\nprint(*sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
    )
    return set(done.stdout.split())


@pytest.mark.parametrize(
    ("code", "never"),
    [
        (
            "import ragproof.cli",
            {"pydantic", "requests", "urllib3", "yaml", "jinja2", "sqlite3", "jsonpath_rfc9535"},
        ),
        (
            "import ragproof.results.runfile, ragproof.regate",
            {"requests", "jinja2", "sqlite3", "jsonpath_rfc9535"},
        ),
        (
            "import ragproof.dataset.load, ragproof.dataset.frozen, ragproof.dataset.diff",
            {"requests", "urllib3", "yaml", "jinja2", "sqlite3", "jsonpath_rfc9535"},
        ),
        (
            "import ragproof.cli.evaluate, ragproof.pipeline",
            {
                "requests",
                "urllib3",
                "jinja2",
                "jsonpath_rfc9535",
                "sqlite3",
                "http.server",
                "numpy",
            },
        ),
    ],
)
def test_what_is_heavy_is_imported_late(code: str, never: set[str]) -> None:
    assert imported_by(code).isdisjoint(never)
