"""Paths: the fast way must find what the library finds, and nothing but values of the document."""

import json
from typing import Any

import jsonpath_rfc9535
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragproof.endpoint.jsonpath import PathError, compile_path
from ragproof.errors import ConfigError

NAMES = ["a", "b", "_c1", "answer"]
QUOTED = [*NAMES, "", "a b", "€", 'say "x"', "a.b", "[0]", "*"]

documents = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 3)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(QUOTED), inner, max_size=4)
    ),
    max_leaves=25,
)
steps = st.one_of(
    st.sampled_from(NAMES).map(lambda name: f".{name}"),
    st.sampled_from(QUOTED).map(lambda name: f"['{name}']"),
    st.sampled_from([name for name in QUOTED if '"' not in name]).map(lambda n: f'["{n}"]'),
    st.integers(-4, 4).map(lambda index: f"[{index}]"),
    st.sampled_from(["[*]", ".*"]),
)
paths = st.lists(steps, max_size=5).map(lambda parts: "$" + "".join(parts))


@given(paths, documents)
def test_plain_paths_find_what_the_library_finds(path: str, document: Any) -> None:
    query = jsonpath_rfc9535.compile(path)
    ours = compile_path(path)
    # As JSON: 1, 1.0 and True are equal to Python, but not the same value.
    assert json.dumps(ours.find(document)) == json.dumps(list(query.find(document).values()))
    assert ours.singular == ("[*]" not in path and ".*" not in path)


def _walk(document: Any, parts: list[Any]) -> Any:
    for part in parts:
        document = document[part]
    return document


def _places(document: Any, place: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    items: Any = ()
    if isinstance(document, dict):
        items = document.items()
    elif isinstance(document, list):
        items = enumerate(document)
    return [place, *(found for key, item in items for found in _places(item, (*place, key)))]


@given(documents, st.data())
def test_the_path_of_a_place_finds_its_value(document: Any, data: st.DataObject) -> None:
    place = data.draw(st.sampled_from(_places(document)))
    path = "$" + "".join(f"[{part}]" if isinstance(part, int) else f"['{part}']" for part in place)
    assert compile_path(path).find(document) == [_walk(document, list(place))]


@pytest.mark.parametrize(
    ("path", "document", "found"),
    [
        ("$", [1], [[1]]),
        ("$.a[0]", {"a": "text"}, []),
        ("$.a[-1]", {"a": "text"}, []),
        ("$.a[*]", {"a": "text"}, []),
        ("$[0]", {"0": 1}, []),
        ("$['0']", [1], []),
        ("$[-1]", [1, 2, 3], [3]),
        ("$[-4]", [1, 2, 3], []),
        ("$[3]", [1, 2, 3], []),
        ("$.a", {"a": None}, [None]),
        ("$.a.b", {"a": None}, []),
        ("$.a", {}, []),
        ("$[0]", [False], [False]),
        ("$['a b']", {"a b": 1}, [1]),
        ("$['']", {"": 1}, [1]),
        ('$["a"]', {"a": 1}, [1]),
        ("$['it\\'s']", {"it's": 1}, [1]),
        ("$.résumé", {"résumé": 1}, [1]),
        ("$.*", {"a": 1, "b": [2]}, [1, [2]]),
        ("$[*][0]", [[1], "x", {"0": 2}, [3]], [1, 3]),
        ("$[0,1]", [1, 2], [1, 2]),
        ("$[::-1]", [1, 2], [2, 1]),
        ("$..id", {"a": [{"id": 1}, {"id": 2}]}, [1, 2]),
    ],
)
def test_what_a_path_finds(path: str, document: Any, found: list[Any]) -> None:
    assert compile_path(path).find(document) == found


def test_filters_by_type_reach_into_typed_parts() -> None:
    path = "$.output[?@.type=='message'].content[?@.type=='output_text'].text"
    document = {
        "output": [
            {"type": "file_search_call", "results": []},
            {
                "type": "message",
                "content": [
                    {"type": "output_text", "text": "one"},
                    {"type": "refusal", "text": "no"},
                ],
            },
            {"type": "message", "content": [{"type": "output_text", "text": "two"}]},
        ]
    }
    compiled = compile_path(path)
    assert compiled.find(document) == ["one", "two"]
    assert not compiled.singular


@pytest.mark.parametrize(
    "path",
    [
        *("", " ", "a", "a.b", "$.", "$..", "$.a.", "$.a b", "$.a[", "$.a]", "$[", "$[]", "$[a]"),
        *("$['a]", "$[01]", "$[-0]", "$[1.5]", "$[1٣]", "$ .a\n", "$.a\n", "\n$.a", "$.a;$.b"),
        *("$[?]", "$[?@.a=]", "$[?nope(@)]", "$[?count(@.a)]", "$.a[?(@.b]", "$.1a", "{{ k }}"),
        *("$[9007199254740992]", "$['\\x']", "$[" * 2000, "$[?" + "(" * 3000, "$[?" + "!" * 3000),
    ],
)
def test_what_is_no_path_is_refused(path: str) -> None:
    with pytest.raises(ConfigError) as caught:
        compile_path(path)
    assert "JSONPath" in caught.value.message
    assert caught.value.hint


@given(st.text("$.[]'\"*?@=!<>()&|,:-0123ab \\٣\n", max_size=12))
def test_any_text_is_a_path_or_a_configuration_error(tail: str) -> None:
    for path in (tail, "$" + tail):
        try:
            compiled = compile_path(path)
        except ConfigError:
            continue
        compiled.find({"a": [1, {"b": "x"}, None], "b": {"a": True}})
        assert jsonpath_rfc9535.compile(path)  # what we take, the library takes


def test_a_document_deeper_than_the_library_goes_is_an_error_of_its_own() -> None:
    document: Any = 1
    for _ in range(300):
        document = {"a": [document]}
    with pytest.raises(PathError, match="deep"):
        compile_path("$..b").find(document)
