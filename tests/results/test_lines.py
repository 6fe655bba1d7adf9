"""Lines of cases, kept on disk until all are there."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragproof.errors import StorageError
from ragproof.records import Case, Chunk, Chunks, Failure, FailureKind, Outcome, Response
from ragproof.results import lines, shape
from ragproof.results.lines import LineStore, case_line
from ragproof.scoring.score import CaseScore

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)


@given(st.permutations(list(range(6))), st.lists(texts, min_size=6, max_size=6))
def test_lines_come_in_the_order_of_the_dataset(order: list[int], content: list[str]) -> None:
    store = LineStore(6)
    for count, index in enumerate(order):
        assert sorted(store.missing()) == sorted(order[count:])
        store.put(index, content[index].encode())
    assert list(store) == content
    assert list(store) == content
    store.close()


def test_nowhere_to_keep_them(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="cannot keep results on disk"):
        LineStore(1, tmp_path / "missing")


def line(case: Case, **changes: Any) -> dict[str, Any]:
    parts: dict[str, Any] = {
        "response": None,
        "score": None,
        "failure": None,
        "latency_s": None,
        "attempts": 1,
        "retrieved": 10,
        "known_failure": False,
    }
    text = case_line(case, 7, Outcome.PASS, [], **(parts | changes))
    assert b"\n" not in text
    made: dict[str, Any] = json.loads(text)
    assert shape.case(made) == ""
    return made


def test_texts_and_ids_are_cut() -> None:
    case = Case("a", "q" * 9000, expected_answer="e" * 9000)
    chunks = Chunks.of(Chunk("i" * 900) for _ in range(40))
    made = line(case, response=Response("a" * 9000, chunks), score=CaseScore({}, {}, ()))
    assert len(made["question"]) == lines.QUESTION_LENGTH
    assert len(made["expected_answer"]) == len(made["answer"]) == lines.ANSWER_LENGTH
    assert len(made["retrieved"]) == 10
    assert len(made["retrieved"][0]) == lines.ID_LENGTH


@pytest.mark.parametrize(
    ("chunk", "name"),
    [
        (Chunk("c", document_id="d"), "c"),
        (Chunk(None, document_id="d"), "d"),
        (Chunk(None), None),
        (Chunk("", document_id="d"), ""),
    ],
)
def test_a_chunk_is_named_by_its_id_or_its_document(chunk: Chunk, name: str | None) -> None:
    made = line(
        Case("a", "q"), response=Response(None, Chunks.of([chunk])), score=CaseScore({}, {}, None)
    )
    assert made["retrieved"] == [name]
    assert made["ranks"] is None


def test_failures_and_known_failures() -> None:
    failure = Failure(FailureKind.STATUS, "HTTP 500", "oops")
    made = line(Case("a", "q", tags=("t",)), failure=failure, known_failure=True)
    assert made["failure"] == {"kind": "status", "message": "HTTP 500", "excerpt": "oops"}
    assert made["known_failure"] is True
    assert made["retrieved"] is None
    assert "failure" not in line(Case("a", "q"))
