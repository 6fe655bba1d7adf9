"""From the JSON of many kinds of servers to one response."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragproof.config.endpoint import RequestConfig
from ragproof.endpoint.mapping import MAX_CHUNKS, ResponseReader
from ragproof.errors import ConfigError
from ragproof.records import Chunk, Chunks, Failure, FailureKind, Response


def reader(**response: Any) -> ResponseReader:
    return ResponseReader({"answer": _request(response)})


def _request(response: dict[str, Any]) -> RequestConfig:
    return RequestConfig.model_validate({"url": "http://localhost/", "response": response})


def read(body: Any, **response: Any) -> Response | Failure:
    return reader(**response).read({"answer": json.loads(json.dumps(body))})


def chunks(body: Any, **response: Any) -> tuple[Chunk, ...]:
    found = read(body, **response)
    assert isinstance(found, Response), found
    assert found.chunks is not None
    return tuple(found.chunks)


def shape(body: Any, **response: Any) -> str:
    found = read(body, **response)
    assert isinstance(found, Failure), found
    assert found.kind is FailureKind.SHAPE
    return found.message


ID = {"id": "$.id"}


# 1. Filter by type, then flatten


def test_openai_responses() -> None:
    body = {
        "output": [
            {
                "type": "file_search_call",
                "results": [
                    {"text": "one", "score": 0.9, "file_id": "f1"},
                    {"text": "two", "score": 0.4, "file_id": "f1"},
                ],
            },
            {"type": "reasoning", "content": [{"type": "output_text", "text": "hidden"}]},
            {
                "type": "message",
                "content": [
                    {
                        "type": "output_text",
                        "text": "Yes",
                        "annotations": [
                            {"type": "file_citation", "file_id": "f1"},
                            {"type": "url_citation", "url": "x"},
                        ],
                    },
                    {"type": "refusal", "refusal": "no"},
                    {"type": "output_text", "text": ", 30 days.", "annotations": []},
                ],
            },
        ]
    }
    message = "$.output[?@.type=='message'].content[?@.type=='output_text']"
    assert read(
        body,
        answer=f"{message}.text",
        chunks="$.output[?@.type=='file_search_call'].results",
        chunk={"document_id": "$.file_id", "text": "$.text", "score": "$.score"},
        citations=f"{message}.annotations[?@.type=='file_citation'].file_id",
    ) == Response(
        "Yes, 30 days.",
        Chunks.of([Chunk(None, "one", 0.9, "f1"), Chunk(None, "two", 0.4, "f1")]),
        ("f1",),
    )


def test_anthropic_text_blocks_are_joined() -> None:
    body = {"content": [{"type": "text", "text": "a "}, {"type": "text", "text": "b"}]}
    assert read(body, answer="$.content[?@.type=='text'].text") == Response("a b")


# 2. Parallel lists


def test_chroma_columns() -> None:
    body = {
        "ids": [["a", "b"]],
        "documents": [["A", None]],
        "distances": [[0.1, 0.2]],
        "metadatas": [[{"source": "x"}, {"source": "y"}]],
    }
    assert chunks(
        body,
        chunk={
            "id": "$.ids[0]",
            "text": "$.documents[0]",
            "score": "$.distances[0]",
            "document_id": "$.metadatas[0][*].source",
        },
    ) == (Chunk("a", "A", 0.1, "x"), Chunk("b", None, 0.2, "y"))


def test_open_webui_columns_without_ids() -> None:
    body = {"sources": [{"document": ["A", "B"], "metadata": [{"s": "x"}, {"s": "y"}]}]}
    mapping = {"text": "$.sources[*].document[*]", "document_id": "$.sources[*].metadata[*].s"}
    assert chunks(body, chunk=mapping) == (
        Chunk(None, "A", None, "x"),
        Chunk(None, "B", None, "y"),
    )
    assert chunks({"choices": []}, chunk=mapping) == ()


def test_columns_of_different_length_are_another_shape() -> None:
    assert "id 2, text 1" in shape(
        {"ids": ["a", "b"], "texts": ["A"]}, chunk={"id": "$.ids", "text": "$.texts"}
    )


@pytest.mark.parametrize("body", [{"ids": []}, {"ids": None}, {"ids": [], "texts": []}])
def test_empty_columns_are_no_chunks(body: Any) -> None:
    assert chunks(body, chunk={"id": "$.ids", "text": "$.texts"}) == ()


@pytest.mark.parametrize("body", [{}, {"detail": "no such collection"}, [], "text", None])
def test_columns_of_which_none_is_there_are_another_shape(body: Any) -> None:
    assert "$.ids[0]" in shape(body, chunk={"id": "$.ids[0]", "text": "$.documents[0]"})


def test_a_column_that_was_not_asked_for_is_left_out() -> None:
    mapping = {"id": "$.ids[0]", "text": "$.documents[0]", "score": "$.distances[0]"}
    body = {"ids": [["a", "b"]], "documents": None, "distances": [[0.5, None]]}
    assert chunks(body, chunk=mapping) == (Chunk("a", None, 0.5), Chunk("b"))


# 3. Several lists


def test_lists_are_joined_in_the_order_of_the_paths() -> None:
    body = {"r": {"resources": [{"id": "1"}, {"id": "2"}], "memories": [{"id": "3"}]}}
    mapping = {"chunks": ["$.r.memories[*]", "$.r.resources", "$.r.skills[*]"], "chunk": ID}
    assert [chunk.id for chunk in chunks(body, **mapping)] == ["3", "1", "2"]


# 4. Lists of texts


def test_a_list_of_texts_is_joined_by_lines() -> None:
    body = {"references": [{"id": "1", "content": ["a", "b"]}, {"id": "2", "content": None}]}
    mapping = {"id": "$.id", "text": "$.content"}
    assert chunks(body, chunks="$.references", chunk=mapping) == (Chunk("1", "a\nb"), Chunk("2"))


def test_texts_that_one_path_finds_in_a_chunk_are_joined() -> None:
    body = [{"id": "1", "parts": [{"t": "a"}, {"t": None}, {}, {"t": "b"}]}]
    assert chunks(body, chunks="$", chunk={"id": "$.id", "text": "$.parts[*].t"}) == (
        Chunk("1", "a\nb"),
    )


# 5. Alternatives


def test_the_first_alternative_that_finds_a_value_is_taken() -> None:
    body = {
        "references": [
            {"chunkInfo": {"content": "A"}, "id": 1},
            {"chunkInfo": None, "unstructuredDocumentInfo": {"content": "B"}, "id": 2},
            {"structuredDocumentInfo": {"content": "C"}, "chunkInfo": {"content": None}, "id": 3},
        ]
    }
    text = [f"$.{one}.content" for one in ("chunkInfo", "unstructuredDocumentInfo")]
    assert [
        chunk.text
        for chunk in chunks(
            body,
            chunks="$.references[*]",
            chunk={"id": "$.id", "text": [*text, "$.structuredDocumentInfo.content"]},
        )
    ] == ["A", "B", "C"]


@pytest.mark.parametrize(
    "body", [{"a": None, "b": "x"}, {"b": "x"}, {"a": None, "b": "x", "c": "y"}]
)
def test_alternatives_of_an_answer(body: Any) -> None:
    assert read(body, answer=["$.a", "$.b", "$.c"]) == Response("x")


def test_an_alternative_that_finds_only_null_gives_way() -> None:
    body = {"a": [{"t": None}, {"t": None}], "b": "x"}
    assert read(body, answer=["$.a[*].t", "$.b"]) == Response("x")


def test_nulls_beside_texts_are_left_out() -> None:
    body = {"choices": [{"text": None}, {"text": "x"}], "cites": [None, "d1", None]}
    assert read(body, answer="$.choices[*].text", citations="$.cites") == Response(
        "x", None, ("d1",)
    )


# 6. The whole body


def test_a_bare_string_is_an_answer() -> None:
    assert read("yes", answer="$") == Response("yes")


def test_a_bare_array_is_the_chunks() -> None:
    body = [{"id": "a", "text": "A", "score": 1}]
    assert chunks(body, chunks="$", chunk={"id": "$.id", "text": "$.text", "score": "$.score"}) == (
        Chunk("a", "A", 1.0),
    )


def test_bare_strings_are_chunks() -> None:
    assert chunks(["a", "b"], chunks="$[*]", chunk={"text": "$"}) == (
        Chunk(None, "a"),
        Chunk(None, "b"),
    )


# 7. Errors inside HTTP 200


@pytest.mark.parametrize(
    ("path", "bad", "good"),
    [
        ("$[?$.code != 0]", {"code": 102, "message": "no"}, {"code": 0, "data": {"x": 1}}),
        ("$[?$.code != 0]", {"code": 102}, {"code": 0}),
        ("$.errors[*]", {"errors": [{"message": "no"}]}, {"errors": []}),
        ("$.errors", {"errors": [{"message": "no"}]}, {"errors": []}),
        ("$.error", {"error": "no"}, {"error": ""}),
        ("$.error", {"error": True}, {"error": False}),
        ("$.error", {"error": "no"}, {"error": None}),
        ("$['__error__']", {"__error__": {"message": "no"}}, {}),
        ("$[?$.type == 'abort']", {"type": "abort"}, {"type": "textResponse"}),
        ("$[?$.llm_generated == false].x", {"llm_generated": False, "r": {"x": 1}}, {"r": {}}),
        ("$.success", {"success": 1}, {"success": 0}),
    ],
)
def test_errors_that_a_body_reports(path: str, bad: Any, good: Any) -> None:
    found = read({"answer": "", **bad}, answer="$.answer", error_when=path)
    assert isinstance(found, Failure)
    assert found.kind is FailureKind.REPORTED
    assert "reports an error" in found.message
    assert found.excerpt
    assert read({"answer": "", **good}, answer="$.answer", error_when=path) == Response("")


def test_a_reported_error_comes_before_another_shape() -> None:
    found = read({"code": 1}, answer="$.data.answer", error_when="$[?$.code != 0]")
    assert isinstance(found, Failure)
    assert found.kind is FailureKind.REPORTED


# 8. and 9. Scores and citations as they come


def test_scores_are_taken_as_they_come() -> None:
    body = [{"id": "a", "s": "0.25"}, {"id": "b", "s": -3}, {"id": "c", "s": 1e30}, {"id": "d"}]
    assert [
        chunk.score for chunk in chunks(body, chunks="$", chunk={"id": "$.id", "score": "$.s"})
    ] == [0.25, -3.0, 1e30, None]


@pytest.mark.parametrize(
    ("body", "path", "found"),
    [
        ({"c": ["1", "2"]}, "$.c", ("1", "2")),
        ({"c": ["1", "2"]}, "$.c[*]", ("1", "2")),
        ({"c": [{"n": 1}, {"n": 2}]}, "$.c[*].n", ("1", "2")),
        ({"c": [{"ids": ["1"]}, {"ids": ["2", "3"]}]}, "$.c[*].ids[*]", ("1", "2", "3")),
        ({"c": []}, "$.c", ()),
        ({"c": None}, "$.c", ()),
        ({}, "$.c", ()),
        ({"c": "1"}, "$.c", ("1",)),
    ],
)
def test_citations(body: Any, path: str, found: tuple[str, ...]) -> None:
    assert read(body, citations=path) == Response(None, None, found)


# Missing, empty, wrong


@pytest.mark.parametrize("path", ["$.chunks", "$.chunks[*]"])
def test_no_chunks_are_no_chunks(path: str) -> None:
    assert chunks({"chunks": []}, chunks=path, chunk=ID) == ()
    assert chunks({"chunks": None}, chunks=path, chunk=ID) == ()


def test_a_missing_list_is_another_shape_only_where_the_path_says_so() -> None:
    assert "$.chunks finds nothing" in shape({}, chunks="$.chunks", chunk=ID)
    assert chunks({}, chunks="$.chunks[*]", chunk=ID) == ()


@pytest.mark.parametrize("body", [{}, {"answer": None}, [], "x", 1, None, {"answer": []}])
def test_a_missing_answer_is_another_shape(body: Any) -> None:
    if body == {"answer": []}:
        assert read(body, answer="$.answer") == Response("")
        return
    assert "$.answer finds nothing" in shape(body, answer="$.answer")


def test_an_empty_answer_is_an_answer() -> None:
    assert read({"answer": ""}, answer="$.answer") == Response("")


@pytest.mark.parametrize("value", [1, True, 0.5, {"text": "x"}, [1], ["a", None]])
def test_answers_of_another_type(value: Any) -> None:
    assert "expected text" in shape({"answer": value}, answer="$.answer")


@pytest.mark.parametrize("part", ["id", "document_id"])
@pytest.mark.parametrize("value", [True, 1.5, {"x": 1}, ["a"]])
def test_ids_of_another_type(part: str, value: Any) -> None:
    message = shape([{"v": value, "t": "x"}], chunks="$", chunk={"text": "$.t", part: "$.v"})
    assert f"{part}: expected an id" in message


def test_ids_may_be_numbers() -> None:
    assert chunks([{"id": 7}, {"id": 0}, {"id": -(10**30)}], chunks="$", chunk=ID) == (
        Chunk("7"),
        Chunk("0"),
        Chunk("-1" + "0" * 30),
    )


@pytest.mark.parametrize(
    "value",
    ["high", True, False, [0.5], {"v": 1}, "", "nan", "NaN", "inf", "-Infinity", 10**400, "1e999"],
)
def test_scores_of_another_type(value: Any) -> None:
    message = shape([{"id": "a", "s": value}], chunks="$", chunk={"id": "$.id", "score": "$.s"})
    assert "score: expected a number" in message
    column = shape({"i": ["a"], "s": [value]}, chunk={"id": "$.i", "score": "$.s"})
    assert "score: expected a number" in column


def test_a_score_too_large_for_a_number_is_another_shape() -> None:
    body = json.loads('[{"id": "a", "s": 1e999}]')
    found = reader(chunks="$", chunk={"id": "$.id", "score": "$.s"}).read({"answer": body})
    assert isinstance(found, Failure)
    assert "expected a number" in found.message


@pytest.mark.parametrize("items", [["text"], [1], [{}], [{"id": None}], {"id": 1, "x": 2}])
def test_items_that_are_no_chunks(items: Any) -> None:
    body = {"chunks": items}
    if isinstance(items, dict):
        assert chunks(body, chunks="$.chunks", chunk=ID) == (Chunk("1"),)
        return
    assert "neither id, text nor document_id" in shape(body, chunks="$.chunks", chunk=ID)


def test_null_items_are_left_out() -> None:
    assert chunks([None, {"id": "a"}, None], chunks="$", chunk=ID) == (Chunk("a"),)


def test_too_many_chunks_are_another_shape() -> None:
    most = [{"id": index} for index in range(MAX_CHUNKS)]
    assert len(chunks(most, chunks="$", chunk=ID)) == MAX_CHUNKS
    assert "10001 chunks" in shape([*most, {"id": "x"}], chunks="$", chunk=ID)
    assert "10001 chunks" in shape({"ids": ["x"] * (MAX_CHUNKS + 1)}, chunk={"id": "$.ids"})


def test_a_body_too_deep_for_a_path_is_another_shape() -> None:
    body: Any = 1
    for _ in range(400):
        body = [body]
    for mapping in (
        {"answer": "$..x"},
        {"answer": "$.x", "error_when": "$..x"},
        {"chunks": "$..x", "chunk": ID},
        {"chunk": {"id": "$..x"}},
        {"citations": "$..x"},
    ):
        assert "deep" in shape(body, **mapping)


def test_excerpts_are_short() -> None:
    found = read({"x": "y" * 5000}, answer="$.a")
    assert isinstance(found, Failure)
    assert len(found.excerpt) <= 300


# Two requests


def test_two_requests_make_one_response() -> None:
    both = ResponseReader(
        {
            "retrieve": _request({"chunks": "$.hits", "chunk": ID}),
            "answer": _request({"answer": "$.text", "citations": "$.cites"}),
        }
    )
    assert (both.has_answer, both.has_chunks, both.has_citations) == (True, True, True)
    assert both.read(
        {"retrieve": {"hits": [{"id": "a"}]}, "answer": {"text": "x", "cites": ["a"]}}
    ) == Response("x", Chunks.of([Chunk("a")]), ("a",))
    missing = both.read({"retrieve": {"hits": []}})
    assert isinstance(missing, Failure)
    assert missing.kind is FailureKind.MISSING


def test_what_is_not_mapped_is_none() -> None:
    assert read({"answer": "x", "chunks": [{"id": 1}]}, answer="$.answer") == Response("x")


@pytest.mark.parametrize(
    ("response", "where"),
    [
        ({"answer": "answer"}, "answer"),
        ({"answer": ["$.a", "b"]}, "answer"),
        ({"answer": "$", "chunks": "$[", "chunk": ID}, "chunks"),
        ({"chunks": "$", "chunk": {"id": "$.id", "score": "score"}}, "chunk.score"),
        ({"citations": "$.."}, "citations"),
        ({"answer": "$", "error_when": "code != 0"}, "error_when"),
    ],
)
def test_a_bad_path_is_named(response: dict[str, Any], where: str) -> None:
    with pytest.raises(ConfigError) as caught:
        reader(**response)
    assert caught.value.message.startswith(f"endpoint.answer.response.{where}: ")


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"]), max_size=4),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["a", "c", "id", "t", "s", "d"]), inner, max_size=4)
    ),
    max_leaves=20,
)


@given(json_values)
def test_any_json_is_a_response_or_a_failure(body: Any) -> None:
    chunk = {"id": "$.id", "text": "$.t", "score": "$.s", "document_id": ["$.d", "$.a"]}
    for mapping in (
        {"answer": ["$.a", "$"], "chunks": ["$.c", "$[*]"], "chunk": chunk, "citations": "$.d"},
        {"chunk": chunk, "error_when": "$.a"},
        {"answer": "$..t", "chunks": "$..c", "chunk": chunk},
    ):
        found = reader(**mapping).read({"answer": body})
        assert isinstance(found, Response | Failure)
        # What crosses into the results can be written as strict JSON in UTF-8.
        json.dumps(found, allow_nan=False, ensure_ascii=False, default=list).encode("utf-8")
