"""What four real servers sent, read with the mapping that a user would write."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from ragproof.config.endpoint import RequestConfig
from ragproof.endpoint.mapping import ResponseReader
from ragproof.records import Chunks, Failure, FailureKind, Response

pytestmark = pytest.mark.conformance

_DEFAULT = Path(__file__).parents[3] / "shared" / "data"

CHROMA = {
    "chunk": {
        "id": "$.ids[0]",
        "text": "$.documents[0]",
        "score": "$.distances[0]",
        "document_id": "$.metadatas[0][*].source",
    }
}
HAYHOOKS = {
    "answer": "$.result.answer",
    "chunks": "$.result.documents",
    "chunk": {"id": "$.id", "text": "$.content", "score": "$.score"},
}
LANGSERVE = {
    "chunks": "$.output",
    "chunk": {"id": "$.id", "text": "$.page_content", "document_id": "$.metadata.source"},
}
OPENVIKING = {
    "chunks": ["$.result.resources", "$.result.memories", "$.result.skills"],
    "chunk": {"id": "$.uri", "text": ["$.content", "$.abstract"], "score": "$.score"},
    "error_when": "$.error",
}


def read(recording: str, mapping: dict[str, Any]) -> tuple[Any, Response | Failure]:
    folder = Path(os.environ.get("RAGPROOF_CONFORMANCE_DATA") or _DEFAULT) / "servers"
    if not folder.is_dir():
        pytest.skip(f"no recordings in {folder}: set RAGPROOF_CONFORMANCE_DATA to their folder")
    body = json.loads((folder / f"{recording}.response.json").read_text("utf-8"))
    request = RequestConfig.model_validate({"url": "http://localhost/", "response": mapping})
    return body, ResponseReader({"answer": request}).read({"answer": body})


def response(recording: str, mapping: dict[str, Any]) -> tuple[Any, Response]:
    body, found = read(recording, mapping)
    assert isinstance(found, Response), found
    return body, found


def test_chroma() -> None:
    body, found = response("chroma/01_query", CHROMA)
    assert found.chunks
    assert [chunk.id for chunk in found.chunks] == body["ids"][0]
    assert [chunk.text for chunk in found.chunks] == body["documents"][0]
    assert [chunk.score for chunk in found.chunks] == body["distances"][0]
    assert [chunk.document_id for chunk in found.chunks] == [
        one["source"] for one in body["metadatas"][0]
    ]


def test_hayhooks() -> None:
    body, found = response("hayhooks/01_run", HAYHOOKS)
    assert found.answer == body["result"]["answer"]
    assert [chunk.id for chunk in found.chunks or ()] == [
        one["id"] for one in body["result"]["documents"]
    ]
    _, chat = response("hayhooks/02_openai_chat", {"answer": "$.choices[0].message.content"})
    assert chat.answer == found.answer
    retrieved = {**HAYHOOKS, "answer": None, "chunks": "$.result.*.documents"}
    _, pipeline = response("hayhooks/05_yaml_run", retrieved)
    assert pipeline.chunks


def test_langserve() -> None:
    body, found = response("langserve/02_retriever_invoke", LANGSERVE)
    assert [chunk.id for chunk in found.chunks or ()] == [one["id"] for one in body["output"]]
    _, answer = response("langserve/03_qa_invoke", {"answer": "$.output"})
    assert answer.answer


@pytest.mark.parametrize(
    "recording", ["30_find", "31_find_content", "54_find_sem", "v0416_07_find"]
)
def test_openviking(recording: str) -> None:
    body, found = response(f"openviking/{recording}", OPENVIKING)
    assert found.chunks
    assert [chunk.id for chunk in found.chunks] == [
        one["uri"] for one in body["result"]["resources"]
    ]
    assert len(found.chunks) == body["result"]["total"]


def test_openviking_finds_nothing() -> None:
    _, found = response("openviking/35_find_empty", OPENVIKING)
    assert found.chunks == Chunks([], [], [], [])


@pytest.mark.parametrize("recording", ["36_find_unknown_field", "90_find_embedding_down"])
def test_openviking_reports_an_error(recording: str) -> None:
    _, found = read(f"openviking/{recording}", OPENVIKING)
    assert isinstance(found, Failure)
    assert found.kind is FailureKind.REPORTED
