"""Requests made from a configuration."""

import json
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragproof.config.endpoint import RequestConfig
from ragproof.endpoint.template import RequestTemplate
from ragproof.errors import ConfigError
from ragproof.records import Case

URL = "http://localhost:8000/query"
questions = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)


def make(
    body: Any = None, *, url: str = URL, headers: dict[str, str] | None = None, method: str = "POST"
) -> RequestTemplate:
    config = RequestConfig.model_validate(
        {
            "url": url,
            "method": method,
            "headers": headers or {},
            "body": body,
            "response": {"answer": "$.answer"},
        }
    )
    return RequestTemplate(config, "endpoint", 7)


def sent(body: Any, question: str = "why?") -> Any:
    """What arrives as the body for ``question``."""
    raw = make(body).fill(Case("case-1", question)).body
    assert raw is not None
    return json.loads(raw.decode("utf-8"))


def test_placeholders_anywhere_in_the_body_are_replaced() -> None:
    body = {
        "q": "{{ question }}",
        "deep": [{"messages": [{"role": "user", "content": "Q: {{question}} ({{ case.id }})"}]}],
        "k": "{{ k }}",
        "text": "top {{ k }}",
        "stream": False,
        "none": None,
        "share": 0.5,
        "empty": {},
        "list": [],
    }
    assert sent(body) == {
        "q": "why?",
        "deep": [{"messages": [{"role": "user", "content": "Q: why? (case-1)"}]}],
        "k": 7,
        "text": "top 7",
        "stream": False,
        "none": None,
        "share": 0.5,
        "empty": {},
        "list": [],
    }


@pytest.mark.parametrize("text", ["{{k}}", "{{ k }}", "{{  k\t}}"])
def test_k_alone_stays_a_number(text: str) -> None:
    assert sent([text]) == [7]
    assert sent([f" {text}"]) == [" 7"]


@pytest.mark.parametrize(
    "question",
    [
        'She said "no"',
        "two\nlines\r\nand\ttab",
        "{{ k }}",
        "{{ question }} {{ case.id }}",
        '"}, "k": 99, "x": {"',
        "\\u0041 \\ \\n",
        "$$ ${RAGPROOF_TOKEN}",
        "{%", "\\g<0> \\1", "日本語 🦊 é é", "\u2028\u0000\u007f",
    ],
)  # fmt: skip
def test_a_question_is_sent_as_it_stands(question: str) -> None:
    body = {"alone": "{{ question }}", "within": "<{{ question }}|{{ question }}>", "k": "{{ k }}"}
    assert sent(body, question) == {
        "alone": question,
        "within": f"<{question}|{question}>",
        "k": 7,
    }


@given(questions)
def test_any_question_arrives_whole(question: str) -> None:
    assert sent({"q": "{{ question }}", "t": "a{{ question }}b"}, question) == {
        "q": question,
        "t": f"a{question}b",
    }
    url = make(url=URL + "/{{ question }}?q={{ question }}&k={{ k }}").fill(Case("x", question)).url
    parts = urlsplit(url)
    assert unquote(parts.path) == f"/query/{question}"
    assert parse_qs(parts.query, keep_blank_values=True, strict_parsing=True) == {
        "q": [question],
        "k": ["7"],
    }
    assert url.isascii()
    assert url.isprintable()
    assert " " not in url


def test_a_question_cannot_leave_its_part_of_the_address() -> None:
    template = make(url=URL + "/{{ case.id }}?q={{ question }}", method="GET")
    request = template.fill(Case("../../admin?x#y", "a&k=9#b/../c@evil.example"))
    assert request.url == (f"{URL}/..%2F..%2Fadmin%3Fx%23y?q=a%26k%3D9%23b%2F..%2Fc%40evil.example")
    assert request.body is None


@given(st.from_type(type(None)) | st.text(max_size=5) | st.integers() | st.lists(st.booleans()))
def test_a_body_without_placeholders_is_sent_as_it_stands(body: Any) -> None:
    if body is not None and "{{" not in str(body):
        assert sent(body) == body


@pytest.mark.parametrize("text", ["{{ nope }}", "{{}}", "{{ }}", "{{ Question }}", "{{ case }}"])
@pytest.mark.parametrize("place", ["body", "url"])
def test_unknown_placeholders_are_refused(text: str, place: str) -> None:
    with pytest.raises(ConfigError, match=r"no placeholder") as caught:
        make({"a": [{"b": text}]}) if place == "body" else make(url=f"{URL}?q={text}")
    assert caught.value.message.startswith(f"endpoint.{place}")
    assert "{{ question }}" in caught.value.hint


def test_the_place_of_an_unknown_placeholder_is_named() -> None:
    with pytest.raises(ConfigError, match=r"endpoint\.body\.messages\.0\.content: "):
        make({"messages": [{"content": "{{ q }}"}]})


@pytest.mark.parametrize("text", ["{ question }", "{{{ question }", "{%- k %}", "{{ k", "k }}"])
def test_other_braces_are_text(text: str) -> None:
    assert sent([text]) == [text]


@pytest.mark.parametrize(
    ("url", "problem"),
    [
        ("http://user:secretpass@localhost/", "credentials"),
        ("http://user@localhost/", "credentials"),
        ("http://:secretpass@localhost/", "credentials"),
        ("ftp://localhost/", "http or https"),
        ("file:///etc/passwd", "http or https"),
        ("localhost:8000/query", "http or https"),
        ("//localhost/query", "http or https"),
        ("/query", "http or https"),
        ("", "http or https"),
        ("http://", "http or https"),
        ("http:///query", "http or https"),
        ("javascript:alert(1)", "http or https"),
        ("http://localhost:99999/", "range"),
        ("http://localhost:port/", "endpoint.url"),
        ("http://[::1/", "endpoint.url"),
        ("http://{{ question }}/", "placeholder"),
        ("http://{{ case.id }}.example/", "placeholder"),
        ("http://exa mple.com/", "endpoint.url"),
        ("http://.example.com/", "endpoint.url"),
        ("http://a..b/", "endpoint.url"),
        ("http://" + "a" * 64 + ".example/", "endpoint.url"),
        ("http://*.example.com/", "endpoint.url"),
        ("http://169.254.169.254/latest/meta-data", "never asked"),
        ("http://[fe80::1]/", "never asked"),
        ("http://[::ffff:169.254.169.254]/", "never asked"),
    ],
)
def test_addresses_that_cannot_be_asked_are_refused(url: str, problem: str) -> None:
    with pytest.raises(ConfigError, match=problem) as caught:
        make(url=url)
    assert caught.value.message.startswith("endpoint.url: ")
    assert "secretpass" not in caught.value.message + caught.value.hint


@pytest.mark.parametrize(
    "url",
    ["http://localhost", "https://[::1]:8443/a", "HTTP://Example.com/a?b=c", "http://münchen.de/ä"],
)
def test_ordinary_addresses_are_taken(url: str) -> None:
    assert make(url=url).fill(Case("a", "q")).url == url


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("X-A", "a\r\nX-B: c"),
        ("X-A", "a\nb"),
        ("X-A", "a\r"),
        ("X-A", "a\x00"),
        ("X-A", "a\x7f"),
        ("X-A", " leading"),
        ("X-A", "trailing "),
        ("X-A", "tab\tbed"),
        ("X-A", "ünï"),
        ("X-A", "a\u2028b"),
        ("X A", "a"),
        ("X-A:", "a"),
        ("X-A\r\nX-B", "a"),
        ("", "a"),
        ("Ü", "a"),
    ],
)
def test_a_header_cannot_bring_another(name: str, value: str) -> None:
    with pytest.raises(ConfigError, match=r"endpoint\.headers"):
        make(headers={name: value})


def test_a_refused_header_does_not_show_its_value() -> None:
    with pytest.raises(ConfigError) as caught:
        make(headers={"Authorization": "Bearer hunter2hunter2\n"})
    assert "hunter2" not in caught.value.message + caught.value.hint
    assert "Authorization" in caught.value.message


@pytest.mark.parametrize("name", ["Content-Length", "transfer-encoding", "TE", "Connection"])
def test_headers_that_frame_the_message_are_refused(name: str) -> None:
    with pytest.raises(ConfigError, match="set by ragproof"):
        make({}, headers={name: "5"})


def test_a_body_is_json_unless_the_configuration_says_otherwise() -> None:
    assert make({}).headers == {"Content-Type": "application/json"}
    assert make({}, headers={"content-type": "application/x"}).headers == {
        "content-type": "application/x"
    }
    assert make(method="GET").headers == {}


@pytest.mark.parametrize("value", [float("nan"), float("inf"), {1, 2}, b"x", "\ud800"])
def test_a_body_that_is_no_json_is_refused(value: Any) -> None:
    with pytest.raises(ConfigError, match=r"endpoint\.body: .*JSON"):
        make({"a": [value]})
