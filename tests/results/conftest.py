"""A real run of the demo, made once, and what can be made of it."""

from collections.abc import Callable
from pathlib import Path

import pytest

from ragproof.cli import main
from ragproof.errors import RunFileError
from ragproof.results.runfile import RunFile


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a demo run whose gate failed."""
    folder = tmp_path_factory.mktemp("demo")
    assert main(["demo", "--regress", "--out", str(folder)]) == 1
    return folder


@pytest.fixture(scope="session")
def whole(demo: Path) -> str:
    """The text of a run file."""
    return (demo / "run.json").read_text(encoding="utf-8")


@pytest.fixture(scope="session")
def refused(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str | bytes], str]:
    """The message with which a run file is refused, at the latest when its cases are read."""
    path = tmp_path_factory.mktemp("run") / "run.json"

    def read() -> None:
        for _ in RunFile(path).cases():
            pass

    def refused(content: str | bytes) -> str:
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        with pytest.raises(RunFileError) as caught:
            read()
        assert caught.value.exit_code == 3
        assert caught.value.hint
        return caught.value.message.replace(str(path), "F")

    return refused
