"""JSON Lines edited by people: what is wrong is said all at once, and where."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ragproof.dataset import load, stream
from ragproof.dataset.load import Dataset
from ragproof.dataset.schema import derived_id
from ragproof.records import Evidence, Kind

Raw = Callable[..., dict[str, Any]]
Lines = Callable[..., str]
Read = Callable[[str | bytes], Dataset]
Refused = Callable[[str | bytes], str]


def test_a_whole_case(read: Read, lines: Lines, raw: Raw) -> None:
    case = raw(
        kind="injection",
        expected_answer="nobody",
        adversarial_payload="canary",
        evidence=[{"quote": "q"}, {"quote": "r", "source_id": "d2"}],
        tags=["x", "y z"],
        language="zh-Hans",
        origin={"model": "m", "n": [1, 2.5]},
    )
    dataset = read("\n" + lines(case))
    (made,) = dataset.cases
    assert made.kind is Kind.INJECTION
    assert made.evidence == (Evidence("q"), Evidence("r", "d2"))
    assert made.tags == ("x", "y z")
    assert list(dataset.lines) == [2]
    assert not dataset.frozen
    assert dataset.changes == ""


def test_defaults(read: Read, lines: Lines) -> None:
    (case,) = read(lines({"question": "Who?", "expected_source_ids": ["d"]})).cases
    assert case.kind is Kind.QA
    assert case.id == derived_id(Kind.QA, "Who?") == "qa-d991a24e8e04"
    assert (case.expected_answer, case.tags, case.evidence, case.origin) == (None, (), (), None)


def test_every_problem_is_reported_at_once(refused: Refused, raw: Raw) -> None:
    text = "\n".join(
        [
            json.dumps(raw(id="one", qestion="x", question=...)),
            "",
            json.dumps(raw(id="two", kind="qq", tags="x")),
            "{nonsense",
            "[]",
            json.dumps(raw(id="three")),
            json.dumps(raw(id="three", question="again")),
            json.dumps(raw(id="four", kind="injection", expected_source_ids=[])),
            json.dumps(raw(id="five", expected_source_ids=["", 7], question=" ")),
        ]
    )
    assert refused(text).splitlines() == [
        "F:1: case 'one': question: is missing",
        "F:1: case 'one': qestion: unknown field; did you mean question?",
        "F:3: case 'two': kind: input should be 'qa', 'unanswerable' or 'injection'",
        "F:3: case 'two': tags: input should be a valid list",
        "F:4: not valid JSON: Expecting property name enclosed in double quotes (column 2)",
        "F:5: case: must be a JSON object",
        "F:7: case 'three': id: is already taken by the case on line 6",
        "F:8: case 'four': adversarial_payload: an injection case needs an adversarial payload",
        "F:9: case 'five': question: is empty",
        "F:9: case 'five': expected_source_ids.0: is empty",
        "F:9: case 'five': expected_source_ids.1: input should be a valid string",
    ]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"id": ""}, "id: is empty"),
        ({"id": " \n"}, "id: is empty"),
        ({"id": 5}, "id: input should be a valid string"),
        ({"id": "x" * 201}, "id: string should have at most 200 characters"),
        ({"question": None}, "question: input should be a valid string"),
        ({"question": ["x"]}, "question: input should be a valid string"),
        ({"kind": None}, "kind: input should be 'qa', 'unanswerable' or 'injection'"),
        ({"kind": {}}, "kind: input should be 'qa', 'unanswerable' or 'injection'"),
        ({"kind": "QA"}, "kind: input should be 'qa', 'unanswerable' or 'injection'"),
        ({"expected_source_ids": []}, "expected_source_ids: a qa case needs at least one"),
        ({"expected_source_ids": ...}, "expected_source_ids: a qa case needs at least one"),
        ({"expected_source_ids": None}, "expected_source_ids: input should be a valid list"),
        ({"expected_source_ids": "d"}, "expected_source_ids: input should be a valid list"),
        ({"expected_source_ids": {"d": 1}}, "expected_source_ids: input should be a valid list"),
        ({"expected_answer": 5}, "expected_answer: input should be a valid string"),
        ({"evidence": [{"quote": " "}]}, "evidence.0.quote: is empty"),
        ({"evidence": [{}]}, "evidence.0.quote: is missing"),
        ({"evidence": ["q"]}, "evidence.0: must be a JSON object"),
        (
            {"evidence": [{"quote": "q", "source_ids": "d"}]},
            "evidence.0.source_ids: unknown field; did you mean source_id?",
        ),
        ({"tags": ["a,b"]}, "tags.0: may not hold , = [ ] nor begin or end with a space"),
        ({"tags": ["ok", " a"]}, "tags.1: may not hold"),
        ({"tags": [""]}, "tags.0: is empty"),
        ({"language": "e"}, "language: is not a language tag such as en or zh-Hans"),
        ({"language": "en\n"}, "language: is not a language tag"),
        ({"origin": []}, "origin: input should be a valid dictionary"),
        ({"taggs": ["x"]}, "taggs: unknown field; did you mean tags?"),
        ({"zzzzz": 1}, "zzzzz: unknown field"),
    ],
)
def test_problems_of_one_field(
    refused: Refused, lines: Lines, raw: Raw, changes: dict[str, Any], message: str
) -> None:
    said = refused(lines(raw(**changes)))
    assert said.count("\n") == 0
    assert said.startswith("F:1: ")
    assert message in said


@pytest.mark.parametrize("kind", ["unanswerable", "injection"])
def test_other_kinds_need_no_sources(read: Read, lines: Lines, raw: Raw, kind: str) -> None:
    case = raw(kind=kind, expected_source_ids=..., adversarial_payload="p")
    assert read(lines(case)).cases[0].expected_source_ids == ()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "dataset F is empty"),
        ("\n \r\n\ufeff"[:-1], "dataset F is empty"),
        ("\ufeff", "dataset F is empty"),
        ('{"id": "a", "id": "b"}', "the key 'id' stands twice in one object"),
        ('{"origin": {"x": NaN}}', "NaN is not a JSON number"),
        ('{"origin": {"x": 1e999}}', "the number 1e999 is too large"),
        (r'{"question": "\ud800"}', "holds half of a surrogate pair"),
        ("[" * 100_000 + "\n", "is a JSON array"),
        ('{"a":' * 100_000, "nested too deep"),
        ('{"question": "cut in the mid', "Unterminated string"),
        ('{"a": 1} {"b": 2}', "more text follows the JSON value (column 10)"),
        ('{"a": 1}\r{"b": 2}', "more text follows the JSON value"),
        ('[\n{"id": "a"}\n]', "is a JSON array, but a dataset is one JSON object a line"),
        ("id,question\n1,Who?", "F:2: not valid JSON"),
        ("\ufeff\ufeff{}", "F:1: not valid JSON"),
    ],
)
def test_files_that_are_no_dataset(refused: Refused, text: str, message: str) -> None:
    assert message in refused(text)


def test_not_utf_8_names_the_line(refused: Refused, lines: Lines, raw: Raw) -> None:
    good = lines(raw())
    assert "F:2: the dataset is not UTF-8" in refused(good.encode() + b'{"question": "\xff"}')
    assert "not UTF-8" in refused(good.encode("utf-16"))


@pytest.mark.parametrize("end", ["\n", "\r\n", "\n\n\n", " \t\r\n"])
def test_line_ends_and_marks_do_not_matter(read: Read, raw: Raw, end: str) -> None:
    cases = [json.dumps(raw(id=name)) for name in "abc"]
    plain = read("\n".join(cases))
    other = read("\ufeff" + end.join(cases) + end)
    assert other.cases == plain.cases
    assert other.hash == plain.hash


def test_unicode_line_ends_inside_texts_end_no_line(read: Read, raw: Raw) -> None:
    text = "a\u2028b\x85c\u2029d\x1ce"
    (case,) = read(json.dumps(raw(question=text.replace("\x1c", "")), ensure_ascii=False)).cases
    assert case.question == text.replace("\x1c", "")


def test_problems_are_counted_beyond_those_shown(refused: Refused) -> None:
    said = refused("{}\n" * 100).splitlines()
    assert len(said) == load.MAX_PROBLEMS + 1
    assert said[-1] == f"... and {2 * 100 - load.MAX_PROBLEMS} more problems"


def test_endless_names_are_cut(refused: Refused, lines: Lines, raw: Raw) -> None:
    said = refused(
        lines(raw(id="i" * 5000), raw(**{"f" * 5000: 1}), raw(evidence=[{"q" * 9999: 1}]))
    )
    assert len(said) < 1500


def test_many_duplicates_cost_no_more_than_as_many_cases(
    refused: Refused, lines: Lines, raw: Raw
) -> None:
    cases = [raw(id=str(number)) for number in range(3000)]
    said = refused(lines(*cases, *cases))
    assert "case '0': id: is already taken by the case on line 1\n" in said
    assert said.endswith("... and 2950 more problems")


def test_a_duplicate_of_a_later_case_names_the_right_line(
    refused: Refused, lines: Lines, raw: Raw
) -> None:
    ids = ["a", "a", "b", "b", "b"]
    said = refused(lines(*(raw(id=one) for one in ids))).splitlines()
    assert [line.rpartition(" ")[2] for line in said] == ["1", "3", "3"]


@pytest.mark.parametrize("frozen_form", [False, True])
def test_a_huge_file_is_refused(
    monkeypatch: pytest.MonkeyPatch,
    refused: Refused,
    lines: Lines,
    frozen: Callable[..., str],
    raw: Raw,
    frozen_form: bool,
) -> None:
    monkeypatch.setattr(stream, "MAX_BYTES", 1_000_000)
    cases = [raw(id=str(number), question="x" * 500) for number in range(3000)]
    said = refused(frozen(*cases) if frozen_form else lines(*cases))
    assert said == "dataset F is larger than 1 MB"
    assert refused('{"question": "' + "x" * 2_000_000) == said


def test_paths_that_are_no_file(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "missing", Path("/dev/null"), tmp_path / "a\0b"):
        with pytest.raises(load.DatasetError, match=r"cannot be read|does not exist"):
            load.load_dataset(path)
