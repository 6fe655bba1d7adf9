"""The line that tells our comment from others."""

import pytest
from calling import HEAD, marker
from hypothesis import example, given
from hypothesis import strategies as st

from ragproof.github.marker import Marker, format_marker, is_older, parse_marker

COUNTS = st.integers(0, 10**18 - 1)
TEXTS = st.text(st.characters())  # halves of surrogate pairs too


def test_what_it_looks_like() -> None:
    assert format_marker(marker(12, 3, key="nightly / ü")) == (
        f"<!-- ragproof key=nightly%20%2F%20%C3%BC head={HEAD} run=12 attempt=3 -->"
    )


@given(TEXTS, TEXTS, COUNTS, COUNTS)
@example("-->", "--!>", 1, 1)
@example("\ud83d\ude00", "\ud800", 1, 1)
@example("a head=x run=1 attempt=9 -->\n<script>", "%2D%", 0, 0)
def test_it_comes_back_whatever_the_key(key: str, head: str, run_id: int, attempt: int) -> None:
    made = Marker(key, head, run_id, attempt)
    line = format_marker(made)
    assert parse_marker(line) == made
    assert parse_marker(f"{line}\nmore\n{format_marker(marker())}") == made
    assert parse_marker(f"{line}\r\nmore") == made
    inside = line.removeprefix("<!--").removesuffix("-->")
    assert "--" not in inside
    assert ">" not in inside
    assert line.isascii()
    assert line.isprintable()


@pytest.mark.parametrize(
    "body",
    [
        "",
        "\n{}",
        " {}",
        "{} ",
        "> {}",
        "text {}",
        "{} text",
        "text\n{}",
        "\ufeff{}",
        "```\n{}",
        "{}\x0bmore",
        "{}\u2028more",
        "{}{}",
    ],
)
def test_it_counts_only_alone_on_the_first_line(body: str) -> None:
    assert parse_marker(body.replace("{}", format_marker(marker()))) is None


@pytest.mark.parametrize(
    "line",
    [
        "<!-- ragproof key=a head=b run=1 -->",
        "<!-- ragproof key=a head=b run=-1 attempt=1 -->",
        "<!-- ragproof key=a head=b run=1 attempt=1-->",
        "<!-- ragproof key=a b head=b run=1 attempt=1 -->",
        "<!-- ragproof key=a head=b run=1 attempt=1 more=2 -->",
        "<!-- ragproof key=%FF head=b run=1 attempt=1 -->",
        "<!-- ragproof key=a head=b run=\u0661 attempt=1 -->",
        f"<!-- ragproof key=a head=b run={'9' * 5000} attempt=1 -->",
        "<!-- other key=a head=b run=1 attempt=1 -->",
    ],
)
def test_others_are_none(line: str) -> None:
    assert parse_marker(line) is None


@given(st.text())
def test_no_text_breaks_the_reader(body: str) -> None:
    parse_marker(body)
    parse_marker(f"<!-- ragproof key={body} head= run=1 attempt=1 -->")


@pytest.mark.parametrize(
    ("one", "other", "older"),
    [
        ((7, 1), (8, 1), True),
        ((7, 2), (8, 1), True),
        ((7, 1), (7, 2), True),
        ((7, 1), (7, 1), False),
        ((8, 1), (7, 9), False),
        ((10, 1), (9, 1), False),
    ],
)
def test_runs_and_attempts_are_in_order(
    one: tuple[int, int], other: tuple[int, int], older: bool
) -> None:
    assert is_older(marker(*one), marker(*other)) is older
