"""Writing what was generated: the cases for review, the ledger beside them, poisoned documents."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ragproof.dataset.schema import case_dict
from ragproof.errors import StorageError, UsageError
from ragproof.files import make_folder, replacing, write_text
from ragproof.generate.injection import PREFIX
from ragproof.generate.works import Works
from ragproof.records import Case
from ragproof.strictjson import sha256_hex

_HASH = "dataset_file_sha256"


class Output:
    """Where a generation is written. ``ledger`` is the file beside the cases."""

    def __init__(self, path: Path, poison: Path | None) -> None:
        self.path = path
        stem = path.name.removesuffix(".jsonl").removesuffix(".ndjson")
        self.ledger = path.with_name(f"{stem}.ledger.json")
        self._poison = poison

    def check(self, *, force: bool) -> None:
        """See that nothing would be lost, before anything is paid for.

        Raises:
            UsageError: the file was edited since it was generated, or never was; or the folder
                for poisoned documents holds other files.
        """
        if self.path.suffix == ".json":
            raise UsageError(
                f"{self.path} is written as JSON Lines, one case a line",
                f"name it {self.path.with_suffix('.jsonl').name}",
            )
        if self.path.exists() and not force and not self._is_as_written():
            raise UsageError(
                f"{self.path} exists and is not as it was generated",
                "name another file with --out, or replace it with --force",
            )
        if self._poison is not None and self._poison.exists():
            if not self._poison.is_dir():
                raise UsageError(f"{self._poison} is no folder", "name a folder with --poison-dir")
            others = [one for one in self._poison.iterdir() if not one.name.startswith(PREFIX)]
            if others:
                raise UsageError(
                    f"{self._poison} holds files that are no poisoned documents",
                    "name a folder of their own with --poison-dir: they must not be mixed up",
                )

    def _is_as_written(self) -> bool:
        try:
            ledger = json.loads(self.ledger.read_text(encoding="utf-8"))
            return bool(ledger[_HASH] == sha256_hex(self.path.read_bytes()))
        except (OSError, ValueError, KeyError, TypeError):
            return False

    def write(self, cases: Sequence[Case], works: Works) -> None:
        """Write everything, each file old or new and never half.

        Raises:
            StorageError: a file cannot be written.
        """
        if self._poison is not None:
            self._write_poisoned(works)
        text = "".join(f"{line(case)}\n" for case in cases)
        if not self.path.parent.exists():
            make_folder(self.path.parent)
        write_text(self.path, text)
        self._write_account({**works.ledger.as_dict(), _HASH: sha256_hex(text)})

    def write_ledger(self, works: Works) -> None:
        """Write the account of a run that gave no case, unless it is in the place of another's.

        Raises:
            StorageError: it cannot be written.
        """
        if not self.path.exists():
            self._write_account(works.ledger.as_dict())

    def _write_account(self, account: dict[str, Any]) -> None:
        if not self.ledger.parent.exists():
            make_folder(self.ledger.parent)
        with replacing(self.ledger) as file:
            json.dump(account, file, ensure_ascii=False, indent=1)
            file.write("\n")

    def _write_poisoned(self, works: Works) -> None:
        folder = self._poison
        assert folder is not None  # noqa: S101 - for the type checker
        make_folder(folder)
        try:
            for old in folder.iterdir():
                old.unlink()
        except OSError as error:
            raise StorageError(
                f"cannot clear {folder}: {error.strerror or error}", "look at its permissions"
            ) from None
        for planted in works.planted:
            if planted.document is not None:
                write_text(folder / planted.document.name, planted.document.text)


def line(case: Case) -> str:
    """A case as one line of a file that people edit: without what is not set."""
    fields: dict[str, Any] = {
        key: value for key, value in case_dict(case).items() if value not in (None, [])
    }
    return json.dumps(fields, ensure_ascii=False)
