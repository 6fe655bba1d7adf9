"""Values from the environment: which names may be used, and what is secret."""

from typing import Any

import pytest

from ragproof.config.endpoint import EndpointConfig
from ragproof.config.environment import Resolved, resolve
from ragproof.errors import ConfigError, ExitCode

TOKEN = "s3cr3t-t0k3n"


def endpoint(**fields: Any) -> EndpointConfig:
    plain = {"url": "http://localhost/", "response": {"answer": "$.answer"}}
    return EndpointConfig.model_validate({**plain, **fields})


def resolved(value: str, environment: dict[str, str], *allowed: str) -> str:
    """What a header of this value becomes."""
    config = endpoint(headers={"X": value})
    headers = resolve(config, environment, allowed).endpoint.headers
    assert headers is not None
    return headers["X"]


def refused(value: str, environment: dict[str, str], *allowed: str) -> ConfigError:
    with pytest.raises(ConfigError) as caught:
        resolved(value, environment, *allowed)
    assert caught.value.exit_code is ExitCode.USAGE
    return caught.value


def test_references_are_replaced_everywhere_a_request_has_text() -> None:
    config = endpoint(
        url="${RAGPROOF_URL}/query?x=${RAGPROOF_X}",
        headers={"Authorization": "Bearer ${RAGPROOF_TOKEN}"},
        body={"list": [{"deep": "a${RAGPROOF_X}b"}], "n": 1, "no": None},
    )
    environment = {
        "RAGPROOF_URL": "http://localhost:1234",
        "RAGPROOF_X": "value-x",
        "RAGPROOF_TOKEN": TOKEN,
    }
    made, secrets = resolve(config, environment)
    assert made.url == "http://localhost:1234/query?x=value-x"
    assert made.headers == {"Authorization": f"Bearer {TOKEN}"}
    assert made.body == {"list": [{"deep": "avalue-xb"}], "n": 1, "no": None}
    assert secrets == {"value-x", TOKEN}


@pytest.mark.parametrize("inside", ["response", "body", "headers", "url"])
def test_a_key_of_the_body_may_have_any_name(inside: str) -> None:
    made = resolve(endpoint(body={inside: {inside: "${RAGPROOF_X}"}}), {"RAGPROOF_X": "value-x"})
    assert made.endpoint.body == {inside: {inside: "value-x"}}


def test_a_header_may_have_any_name() -> None:
    made = resolve(endpoint(headers={"response": "${RAGPROOF_X}"}), {"RAGPROOF_X": "value-x"})
    assert made.endpoint.headers == {"response": "value-x"}


def test_paths_are_left_alone() -> None:
    response = {"answer": "$['${RAGPROOF_X}']", "error_when": "$[?@.a == '$$']"}
    made = resolve(endpoint(response=response), {})
    assert made.endpoint.response is not None
    assert made.endpoint.response.answer == "$['${RAGPROOF_X}']"
    assert made.endpoint.response.error_when == "$[?@.a == '$$']"
    two = EndpointConfig.model_validate(
        {
            name: {"url": "http://h/", "body": "${RAGPROOF_X}", "response": response}
            for name in ("retrieve", "answer")
        }
    )
    requests = resolve(two, {"RAGPROOF_X": "value-x"}).endpoint.requests()
    assert [one.response.answer for one in requests.values()] == ["$['${RAGPROOF_X}']"] * 2
    assert [one.body for one in requests.values()] == ["value-x"] * 2


@pytest.mark.parametrize("name", ["TOKEN", "ragproof_TOKEN", "RAGPROOF", "MY_RAGPROOF_X", "HOME"])
def test_other_names_need_leave(name: str) -> None:
    error = refused(f"${{{name}}}", {name: TOKEN})
    assert f"${{{name}}} may not be used" in error.message
    assert f"--env {name}" in error.hint
    assert TOKEN not in error.message + error.hint
    assert resolved(f"${{{name}}}", {name: TOKEN}, name) == TOKEN


@pytest.mark.parametrize("environment", [{}, {"RAGPROOF_T": ""}, {"RAGPROOF_T": " \n"}])
def test_an_unset_variable_names_the_usual_cause(environment: dict[str, str]) -> None:
    error = refused("Bearer ${RAGPROOF_T}", environment)
    assert "endpoint.headers.X: ${RAGPROOF_T} is not set" in error.message
    assert "fork" in error.hint
    assert "Dependabot" in error.hint


@pytest.mark.parametrize("value", ["abc", "a", " ab ", "abc\n"])
def test_a_secret_too_short_to_hide_is_refused(value: str) -> None:
    error = refused("${RAGPROOF_T}", {"RAGPROOF_T": value})
    assert "too short" in error.message
    assert value.strip() not in error.message.partition("shorter")[2].split()


def test_a_value_that_is_no_unicode_is_refused() -> None:
    error = refused("${RAGPROOF_T}", {"RAGPROOF_T": "abcd\udcff"})
    assert "UTF-8" in error.message
    error.message.encode()


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("$$", "$"),
        ("$$$$", "$$"),
        ("a$$b", "a$b"),
        ("$${RAGPROOF_T}", "${RAGPROOF_T}"),
        ("$$${RAGPROOF_T}", f"${TOKEN}"),
        ("costs $5", "costs $5"),
        ("$RAGPROOF_T", "$RAGPROOF_T"),
        ("${RAGPROOF_T", "${RAGPROOF_T"),
        ("{RAGPROOF_T}", "{RAGPROOF_T}"),
        ("${RAGPROOF_T}${RAGPROOF_T}", TOKEN * 2),
        ("", ""),
    ],
)
def test_dollar_signs(text: str, found: str) -> None:
    assert resolved(text, {"RAGPROOF_T": TOKEN}) == found


@pytest.mark.parametrize("name", ["", " ", "RAGPROOF T", "RAGPROOF_T:-x", "1A", "RAGPROOF-T", "é"])
def test_what_is_no_name_is_refused(name: str) -> None:
    assert "is not the name of a variable" in refused(f"${{{name}}}", {}).message


@pytest.mark.parametrize("value", ["${RAGPROOF_T}", "$$$$", "${HOME}", "{{ k }}"])
def test_a_value_is_not_looked_into(value: str) -> None:
    assert resolved("${RAGPROOF_V}", {"RAGPROOF_V": value, "RAGPROOF_T": TOKEN}) == value


def test_every_problem_is_named_at_once() -> None:
    config = endpoint(headers={"A": "${RAGPROOF_A}", "B": "${HOME}"}, body=["${RAGPROOF_C}"])
    with pytest.raises(ConfigError) as caught:
        resolve(config, {"RAGPROOF_C": "x"})
    assert len(caught.value.message.splitlines()) == 3


def _secrets(value: str) -> frozenset[str]:
    made: Resolved = resolve(endpoint(url="${RAGPROOF_URL}"), {"RAGPROOF_URL": value})
    return made.secrets


@pytest.mark.parametrize("url", ["http://localhost:8000/q", "https://x.example/?mode=json&k=10"])
def test_an_address_is_no_secret(url: str) -> None:
    assert _secrets(url) == frozenset()


def test_a_key_inside_an_address_is_a_secret() -> None:
    key = "Zm9vYmFyYmF6cXV4+/a="
    url = "https://x.example/q?code=Zm9vYmFyYmF6cXV4%2B%2Fa%3D&mode=json"
    assert _secrets(url) == {key}


def test_all_other_values_are_secret() -> None:
    assert _secrets("ftp://some-host/") == {"ftp://some-host/"}
