"""Cases made from defaults, and datasets read from real files."""

import json
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from ragproof.dataset.frozen import write_frozen
from ragproof.dataset.load import Dataset, load_dataset
from ragproof.dataset.schema import read_case
from ragproof.errors import DatasetError

Raw = dict[str, Any]


def _raw(**changes: Any) -> Raw:
    fields = {"id": "a", "question": "Who?", "expected_source_ids": ["d1"], **changes}
    return {key: value for key, value in fields.items() if value is not ...}


@pytest.fixture(scope="session")
def raw() -> Callable[..., Raw]:
    """A case as its file holds it; ``...`` leaves a field out."""
    return _raw


@pytest.fixture(scope="session")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A path to write a dataset to, again and again."""
    return tmp_path_factory.mktemp("dataset") / "set"


@pytest.fixture(scope="session")
def read(file: Path) -> Callable[[str | bytes], Dataset]:
    """Load a dataset with this content."""

    def read(content: str | bytes) -> Dataset:
        file.write_bytes(content.encode() if isinstance(content, str) else content)
        return load_dataset(file)

    return read


@pytest.fixture(scope="session")
def refused(read: Callable[[str | bytes], Dataset], file: Path) -> Callable[[str | bytes], str]:
    """The message with which such a dataset is refused, without the path."""

    def refused(content: str | bytes) -> str:
        with pytest.raises(DatasetError) as caught:
            read(content)
        assert caught.value.exit_code == 3
        assert caught.value.hint
        return caught.value.message.replace(str(file), "F")

    return refused


@pytest.fixture(scope="session")
def lines() -> Callable[..., str]:
    """JSON Lines."""
    return lambda *values: "".join(json.dumps(value) + "\n" for value in values)


@pytest.fixture(scope="session")
def frozen() -> Callable[..., str]:
    """The text of a frozen set of these cases."""

    def frozen(*values: Raw, plain: bool = False) -> str:
        out = StringIO()
        write_frozen(out, [read_case(value) for value in values], plain=plain)
        return out.getvalue()

    return frozen
