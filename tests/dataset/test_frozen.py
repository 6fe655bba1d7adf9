"""Frozen sets: any change of content is refused and named, any change of layout is none."""

import json
import random
import re
import string
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragproof.dataset import stream
from ragproof.dataset.frozen import Hasher, extra_fields, hash_cases
from ragproof.dataset.load import Dataset, load_dataset
from ragproof.dataset.schema import case_dict, read_case
from ragproof.errors import DatasetError, HashMismatchError

Raw = Callable[..., dict[str, Any]]
Frozen = Callable[..., str]
Read = Callable[[str | bytes], Dataset]
Refused = Callable[[str | bytes], str]

text = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
words = text.filter(lambda one: bool(re.search(r"[^\s\x1c-\x1f]", one)))
tags = st.text(string.ascii_letters + "é漢 -_.", min_size=1, max_size=8).filter(
    lambda one: one == one.strip()
)
values = st.recursive(st.none() | st.booleans() | st.integers(-(10**9), 10**9) | text, st.lists)


@st.composite
def raw_cases(draw: st.DrawFn) -> list[dict[str, Any]]:
    ids = draw(st.lists(words, min_size=1, max_size=4, unique=True))
    optional = {
        "expected_answer": text,
        "adversarial_payload": text,
        "evidence": st.lists(
            st.fixed_dictionaries({"quote": words}, optional={"source_id": text}), max_size=2
        ),
        "tags": st.lists(tags, max_size=2),
        "language": st.sampled_from(["en", "zh-Hans"]),
        "origin": st.dictionaries(text, values, max_size=2),
    }
    return [
        draw(
            st.fixed_dictionaries(
                {
                    "id": st.just(one),
                    "question": words,
                    "expected_source_ids": st.lists(words, min_size=1, max_size=2),
                    "kind": st.sampled_from(["qa", "unanswerable"]),
                },
                optional=optional,
            )
        )
        for one in ids
    ]


def fixed(raw: Raw) -> list[dict[str, Any]]:
    return [
        raw(id="a", question="Größe?", expected_answer='é\u2028 "x" \\ \u0001'),
        raw(id="b", kind="unanswerable", expected_source_ids=[], tags=["t"], language="en"),
        raw(id="c", kind="injection", adversarial_payload="p", origin={"z": 1, "a": [0.5, None]}),
        raw(id="d", evidence=[{"quote": "q", "source_id": None}, {"source_id": "s", "quote": "r"}]),
    ]


def test_the_hash_is_that_of_the_documented_rule(raw: Raw) -> None:
    """Fixed for ever: a set frozen by any version has to verify by every later one."""
    six = '"expected_answer":null,"expected_source_ids":["d1"],"id":"a","kind":"qa"'
    by_hand = f'[{{"adversarial_payload":null,{six},"question":"Who?"}}]'
    assert hash_cases([read_case(raw())]).dataset == sha256(by_hand)
    assert hash_cases([read_case(raw())]).dataset == (
        "1f70bc666518c6589c3c2991e078f20f34485a674c19780c68b83e25407af88f"
    )
    assert hash_cases(map(read_case, fixed(raw))).dataset == (
        "620dfefbd3a340a77a4fafcba2d8bd2dc66d971bfb9b8e3bb4d84737786c1a75"
    )


def sha256(one: str) -> str:
    import hashlib

    return hashlib.sha256(one.encode()).hexdigest()


def test_hashing_one_by_one_is_hashing_the_list(raw: Raw) -> None:
    from ragproof.strictjson import canonical

    cases = [read_case(one) for one in fixed(raw)]
    for count in range(len(cases) + 1):
        hasher = Hasher()
        for case in cases[:count]:
            hasher.add(case)
        assert hasher.finish() == sha256(canonical([case_dict(one) for one in cases[:count]]))


def test_one_case_a_line(frozen: Frozen, raw: Raw) -> None:
    rows = frozen(*fixed(raw)).split("\n")
    assert [json.loads(row.rstrip(","))["id"] for row in rows[-6:-2]] == ["a", "b", "c", "d"]
    assert rows[-2:] == ["]}", ""]


def test_plain_holds_nothing_that_others_refuse(frozen: Frozen, raw: Raw) -> None:
    data = json.loads(frozen(*fixed(raw), plain=True))
    assert list(data) == ["meta", "cases"]
    assert set(data["meta"]) == {"dataset_hash", "hash_algorithm", "size"}
    assert extra_fields(map(read_case, fixed(raw))) == ["evidence", "language", "origin", "tags"]
    assert extra_fields([read_case(raw())]) == []


@given(raw_cases(), st.booleans())
@settings(max_examples=40)
def test_frozen_is_read_back_as_it_was(
    read: Read, frozen: Frozen, cases: list[dict[str, Any]], plain: bool
) -> None:
    made = [read_case(one) for one in cases]
    whole = frozen(*cases, plain=plain)
    dataset = read(whole)
    assert dataset.frozen
    assert list(dataset.cases) == made
    assert dataset.hash == hash_cases(made).dataset
    rows = whole.split("\n")
    assert [json.loads(rows[line - 1].rstrip(","))["id"] for line in dataset.lines] == [
        case.id for case in made
    ]
    assert frozen(*map(case_dict, dataset.cases), plain=plain) == whole


def shuffled(value: Any, rng: random.Random) -> Any:
    """The same content, keys in another order."""
    if isinstance(value, dict):
        keys = rng.sample(list(value), len(value))
        return {key: shuffled(value[key], rng) for key in keys}
    return [shuffled(one, rng) for one in value] if isinstance(value, list) else value


@given(raw_cases(), st.randoms(use_true_random=False))
@settings(max_examples=40)
def test_layout_is_no_change(
    read: Read, frozen: Frozen, cases: list[dict[str, Any]], rng: random.Random
) -> None:
    whole = frozen(*cases)
    dataset, data = read(whole), json.loads(whole)
    for other in (
        json.dumps(data),
        json.dumps(data, indent=4),
        json.dumps(data, ensure_ascii=False, separators=(" , ", "\t:\n")),
        json.dumps(shuffled(data, rng), indent=rng.choice([None, 0, 1])),
        "\ufeff" + whole,
        "\n\n " + whole + "\n\n",
    ):
        for end in ("\n", "\r\n"):
            again = read(other.replace("\n", end))
            assert again.cases == dataset.cases
            assert again.hash == dataset.hash


def leaves(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    if isinstance(value, dict):
        return [leaf for key, one in value.items() for leaf in leaves(one, (*path, key))]
    if isinstance(value, list):
        return [leaf for key, one in enumerate(value) for leaf in leaves(one, (*path, key))]
    return [path]


@given(raw_cases(), st.data())
@settings(max_examples=40)
def test_any_changed_value_is_refused(
    read: Read, frozen: Frozen, cases: list[dict[str, Any]], data: st.DataObject
) -> None:
    content = json.loads(frozen(*cases))
    path = data.draw(st.sampled_from(leaves(content["cases"])))
    parent = content["cases"]
    for key in path[:-1]:
        parent = parent[key]
    old = parent[path[-1]]
    new = data.draw((words | st.integers(0, 3) | st.none()).filter(lambda one: one != old))
    parent[path[-1]] = new
    with pytest.raises(DatasetError):
        read(json.dumps(content))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("é", "e\u0301"),  # the same to the eye, another Unicode form
        ("x", "x "),
        ("x", "X"),
        ("fi", "ﬁ"),
        ("a b", "a\u00a0b"),
        ("x", "x\u200b"),
    ],
)
def test_unicode_forms_and_spaces_are_content(
    read: Read, frozen: Frozen, raw: Raw, old: str, new: str
) -> None:
    whole = frozen(raw(question=old))
    assert read(whole)
    with pytest.raises(HashMismatchError, match="changed: a"):
        read(whole.replace(json.dumps(old, ensure_ascii=False), json.dumps(new)))
    assert unicodedata.normalize("NFC", "e\u0301") == "é"


@pytest.mark.parametrize("pair", [("1", "1.0"), ("1", "true"), ("0.1", "0.10000000000000002")])
def test_numbers_that_python_takes_for_equal_are_not(
    read: Read, frozen: Frozen, raw: Raw, pair: tuple[str, str]
) -> None:
    whole = frozen(raw(origin={"n": json.loads(pair[0])}))
    with pytest.raises(HashMismatchError, match="changed: a"):
        read(whole.replace(f'"n":{pair[0]}', f'"n":{pair[1]}'))


def edited(whole: str, edit: Callable[[dict[str, Any]], Any]) -> str:
    data = json.loads(whole)
    edit(data)
    return json.dumps(data)


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        (lambda d: d["cases"][1].update(question="?!"), ["changed: b"]),
        (lambda d: d["cases"].pop(0), ["removed: a"]),
        (lambda d: d["cases"].append({**d["cases"][0], "id": "new"}), ["added: new"]),
        (lambda d: d["cases"].reverse(), ["the order of the cases was changed"]),
        (
            lambda d: (
                d["cases"].reverse(),
                d["cases"].pop(),
                d["cases"][0].update(expected_answer="!"),
                d["cases"].append({**d["cases"][0], "id": "x\ny"}),
            ),
            [
                "changed: d",
                r"added: 'x\ny'",
                "removed: a",
                "the order of the cases was changed",
            ],
        ),
        (
            lambda d: d["meta"].update(dataset_hash="0" * 64),
            ["every case matches its own hash, in order: only the field meta.dataset_hash was"],
        ),
        (lambda d: d["meta"].pop("case_hashes"), None),
        (
            lambda d: (d["meta"].pop("case_hashes"), d["cases"].pop()),
            ["the file holds no hashes of single cases, so the changed ones cannot be named"],
        ),
    ],
)
def test_what_changed_is_named(
    read: Read, frozen: Frozen, raw: Raw, edit: Callable[[Any], Any], said: list[str] | None
) -> None:
    whole = edited(frozen(*fixed(raw)), edit)
    if said is None:
        assert read(whole)
        return
    with pytest.raises(HashMismatchError) as caught:
        read(whole)
    top, stored, found, *explained = caught.value.message.splitlines()
    assert top.endswith("the set was changed after it was frozen")
    assert stored.split()[-1] != found.split()[-1]
    assert len(explained) == len(said)
    for line, start in zip(explained, said, strict=True):
        assert line.strip().startswith(start)


def test_many_changes_are_named_in_part(read: Read, frozen: Frozen, raw: Raw) -> None:
    whole = frozen(*(raw(id=f"c{number}") for number in range(300)))
    with pytest.raises(HashMismatchError, match=r"changed: c0, c1, .* and 200 more$"):
        read(whole.replace("Who?", "Whom?"))


def test_an_edited_size_is_noticed(read: Read, frozen: Frozen, raw: Raw) -> None:
    whole = frozen(*fixed(raw)).replace('"size":4', '"size":5')
    with pytest.raises(HashMismatchError, match=r"meta\.size is 5, but the set holds 4 cases"):
        read(whole)


def test_a_changed_set_is_taken_when_that_is_asked_for(
    file: Path, frozen: Frozen, raw: Raw
) -> None:
    file.write_text(frozen(raw()).replace("Who?", "Whom?"))
    dataset = load_dataset(file, changed=True)
    assert dataset.cases[0].question == "Whom?"
    assert dataset.changes.endswith("changed: a")


def test_meta_of_ragproof_1_0_0_is_known(read: Read, frozen: Frozen, raw: Raw) -> None:
    extra = {"corpus_hash": "c", "generation": {"model": "m", "seed": 1}}
    assert read(edited(frozen(raw()), lambda d: d["meta"].update(extra))).frozen
    nothing = {"corpus_hash": None, "generation": None}
    assert read(edited(frozen(raw()), lambda d: d["meta"].update(nothing))).frozen


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        (lambda d: d["meta"].update(sise=4), "meta.sise: unknown field; did you mean size?"),
        (lambda d: d["meta"].pop("dataset_hash"), "meta.dataset_hash: is missing"),
        (lambda d: d["meta"].update(dataset_hash=None), "meta.dataset_hash: input should be"),
        (lambda d: d["meta"].update(dataset_hash="\n::error::"), "meta.dataset_hash: string"),
        (lambda d: d["meta"].update(hash_algorithm="md5"), "meta.hash_algorithm: input should be"),
        (lambda d: d["meta"].update(size="4"), "meta.size: input should be a valid integer"),
        (lambda d: d["meta"].update(case_hashes=[["a"]]), "meta.case_hashes.0: list should have"),
        (lambda d: d["meta"].update(case_hashes={"a": "b"}), "meta.case_hashes: input should be"),
        (lambda d: d["meta"].update(case_hashes=[[1, 2]]), "meta.case_hashes.0.0: input"),
        (lambda d: d.update(meta=[]), "meta: input should be"),
        (lambda d: d.update(more=1), "'more' is not expected here"),
        (lambda d: d.update(cases={}), "expected [, found '{'"),
        (lambda d: d.update(cases=[]), "holds no case"),
        (lambda d: d.pop("cases"), "a frozen set holds meta and cases; one is missing"),
        (lambda d: d["cases"].append(5), "case: must be a JSON object"),
        (lambda d: d["cases"].append(d["cases"][0]), "case 'a': id: is already taken by the case"),
    ],
)
def test_malformed_sets(
    refused: Refused, frozen: Frozen, raw: Raw, edit: Callable[[Any], Any], said: str
) -> None:
    message = refused(edited(frozen(raw()), edit))
    assert said in message


def test_problems_of_meta_and_cases_are_reported_together(
    refused: Refused, frozen: Frozen, raw: Raw
) -> None:
    def edit(data: dict[str, Any]) -> None:
        data["meta"]["sise"] = 1
        data["cases"][0]["qestion"] = 1
        data["cases"][2]["tags"] = 1

    assert len(refused(edited(frozen(*fixed(raw)), edit)).splitlines()) == 3


@pytest.mark.parametrize("piece", [1, 7, 64, 1 << 16])
def test_a_set_cut_anywhere_is_refused(
    monkeypatch: pytest.MonkeyPatch, read: Read, frozen: Frozen, raw: Raw, piece: int
) -> None:
    monkeypatch.setattr(stream, "_PIECE", piece)
    whole = frozen(*fixed(raw)).encode()
    assert read(whole)
    for end in range(0, len(whole) - 1, 1 if piece > 64 else 5):
        with pytest.raises(DatasetError) as caught:
            read(whole[:end])
        assert caught.value.hint


def test_a_cut_set_says_so(refused: Refused, frozen: Frozen, raw: Raw) -> None:
    whole = frozen(*fixed(raw))
    for end in range(whole.index('"cases"') + 10, len(whole) - 2):
        message = refused(whole[:end])
        if not re.search(r"\\\w{0,4}$|[:\s][a-z]{1,3}$", whole[:end]):
            assert "the file ends in the middle: it was cut" in message, whole[:end][-20:]


@pytest.mark.parametrize("piece", [1, 3, 10, 1 << 16])
def test_pieces_of_any_size_make_the_same_set(
    monkeypatch: pytest.MonkeyPatch, read: Read, frozen: Frozen, raw: Raw, piece: int
) -> None:
    whole = json.dumps(json.loads(frozen(*fixed(raw))), indent=2, ensure_ascii=False)
    expected = read(whole)
    monkeypatch.setattr(stream, "_PIECE", piece)
    again = read(whole)
    assert (again.cases, again.lines, again.hash) == (
        expected.cases,
        expected.lines,
        expected.hash,
    )


@pytest.mark.parametrize("piece", [1, 10, 1 << 16])
def test_lines_of_problems_are_right_in_any_piece(
    monkeypatch: pytest.MonkeyPatch, refused: Refused, frozen: Frozen, raw: Raw, piece: int
) -> None:
    monkeypatch.setattr(stream, "_PIECE", piece)
    rows = frozen(*fixed(raw)).split("\n")
    wrong = "\n".join([*rows[:7], rows[7].replace('"qa"', '"q"'), *rows[8:]])
    assert refused(wrong).startswith("F:8: case 'a': kind: ")
    broken = "\n".join([*rows[:9], rows[9].replace('":', '"!', 1), *rows[10:]])
    assert refused(broken).startswith("F:10: not a frozen set: ")
    raw_bytes = "\n".join(rows).encode().replace("ö".encode(), b"\xf6")
    number = raw_bytes[: raw_bytes.index(b"\xf6")].count(b"\n") + 1
    assert refused(raw_bytes) == f"F:{number}: the dataset is not UTF-8"


def test_text_after_the_end(refused: Refused, frozen: Frozen, raw: Raw) -> None:
    whole = frozen(raw())
    for more in ("}", "x", whole, "\0"):
        assert "more text follows the end of the set" in refused(whole + more)


def test_half_a_character_after_the_end(refused: Refused, frozen: Frozen, raw: Raw) -> None:
    whole = frozen(raw()).encode()
    assert refused(whole + b"\xc3") == f"F:{whole.count(bytes([10])) + 1}: the dataset is not UTF-8"


def test_keys_twice(refused: Refused, frozen: Frozen, raw: Raw) -> None:
    whole = frozen(raw())
    assert "'cases' is not expected here" in refused(whole.rstrip()[:-1] + ',"cases":[]}')
    assert "the key 'size' stands twice" in refused(whole.replace('"size"', '"size":1,"size"'))
    assert "the key 'id' stands twice" in refused(whole.replace('{"id"', '{"id":"b","id"'))
