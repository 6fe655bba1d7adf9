"""No form of a secret in anything that leaves, whatever the endpoint does with it."""

import base64
import html
import json
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote, quote_plus

import pytest
from faultserver import Behaviour, FaultServer, Request, Wire, reply
from running import ANSWER, Ran, run

from ragproof.redact import derived_forms

Capture = pytest.CaptureFixture[str]

HEADER_SECRETS = [
    "sk-proj-AbCdEf0123456789_-",
    "p%ss/word+with=odd&chars?",
    "quote\"and'apostrophe\\back",
    "two  spaces and <tags>",
]
BODY_SECRETS = [*HEADER_SECRETS, "schlüssel-密钥-ключ", "first-line\nsecond-line\n", "987654321012"]


def _escaped(text: str) -> str:
    """As a cautious encoder of JSON writes it: all that is no letter or digit as \\uXXXX."""
    return "".join(
        char if char.isalnum() and char.isascii() else json.dumps(char)[1:-1]
        if ord(char) > 126 else f"\\u{ord(char):04X}" for char in text
    )  # fmt: skip


def all_forms(secret: str) -> list[str]:
    """Every way in which the servers of these tests spell a secret."""
    twice = json.dumps(json.dumps(secret))[1:-1]
    basic = base64.b64encode(f"user:{secret}".encode()).decode()
    return [
        *(secret, f"user:{secret}@host", base64.b64encode(secret.encode()).decode(), basic),
        *(base64.urlsafe_b64encode(secret.encode()).decode(), quote(secret, safe="")),
        *(quote_plus(secret), json.dumps(secret)[1:-1]),
        *(json.dumps(secret, ensure_ascii=False)[1:-1], twice),
        *(html.escape(secret), _escaped(secret)),
        *(secret.strip(), "x" * 280 + secret),
    ]  # fmt: skip


def assert_hidden(ran: Ran, secret: str) -> None:
    forms = {*derived_forms(secret), *(form for form in all_forms(secret)[2:12])}
    pieces = {secret[:8], secret[-8:]} if len(secret) >= 16 else {secret}
    lines = ran.out.splitlines(keepends=True)
    unmasked = "".join(line for line in lines if not line.startswith("::add-mask::"))
    for name, text in {**ran.everything(), "stdout": unmasked}.items():
        for form in forms | pieces:
            assert form not in text, (name, form)
            assert json.dumps(form)[1:-1] not in text, (name, form)
            assert form.replace("\\", "\\\\") not in text, (name, form)


def one_line(text: str) -> bytes:
    return text.replace("\r", " ").replace("\n", " ").encode("utf-8")


def in_good_body(form: str) -> Behaviour:
    """Echoes as JSON that says ``form`` once it is parsed, and as JSON that holds it as written."""
    spelt = [json.dumps(form), json.dumps(form, ensure_ascii=False), f'"{_escaped(form)}"']

    def behave(wire: Wire, request: Request) -> bool:
        chunk = f'{{"id":{spelt[0]},"text":{spelt[1]},"score":1}}'
        body = f'{{"answer":{spelt[2]},"chunks":[{{"id":"a"}},{chunk}],{spelt[0]}:1}}'
        wire.send(reply(body.encode()))
        return True

    return behave


def in_html(form: str) -> Behaviour:
    def behave(wire: Wire, request: Request) -> bool:
        wire.send(reply(b"<html>" + b" " * 900 + form.encode() + b"</html>"))
        return True

    return behave


def in_error_body(status: str) -> Callable[[str], Behaviour]:
    def make(form: str) -> Behaviour:
        def behave(wire: Wire, request: Request) -> bool:
            wire.send(reply(b'{"detail":"you sent ' + form.encode() + b'"}', status))
            return True

        return behave

    return make


def at_the_cut(size: int) -> Callable[[str], Behaviour]:
    """Echoes where what is quoted, or what is read at all, ends within the secret."""

    def make(form: str) -> Behaviour:
        def behave(wire: Wire, request: Request) -> bool:
            filler = b" " * (size - len(form.encode()) + 5)
            wire.send(reply(b"no:" + filler + form.encode() + b" " * 20_000, "400 Bad"))
            return True

        return behave

    return make


def in_location(form: str) -> Behaviour:
    def behave(wire: Wire, request: Request) -> bool:
        head = b"HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: http://x.example/?t="
        wire.send(head, one_line(form), b"\r\n\r\n")
        return True

    return behave


def in_reason(form: str) -> Behaviour:
    def behave(wire: Wire, request: Request) -> bool:
        wire.send(b"HTTP/1.1 400 no ", one_line(form), b"\r\nContent-Length: 0\r\n\r\n")
        return True

    return behave


def in_status_line(form: str) -> Behaviour:
    def behave(wire: Wire, request: Request) -> None:
        wire.send(b"garbage " + b"x" * 150 + one_line(form), b"\r\n\r\n")

    return behave


def in_headers(form: str) -> Behaviour:
    """In headers that are no headers, which some log."""

    def behave(wire: Wire, request: Request) -> None:
        wire.send(b"HTTP/1.1 400 Bad\r\nX\r\n: ", one_line(form), b"\r\nNo colon\r\n\r\nno")

    return behave


def in_chunk_size(form: str) -> Behaviour:
    def behave(wire: Wire, request: Request) -> None:
        wire.send(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", one_line(form), b"\r\n")

    return behave


def in_length(form: str) -> Behaviour:
    def behave(wire: Wire, request: Request) -> None:
        wire.send(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: ", one_line(form))
        wire.send(b"\r\nRetry-After: ", one_line(form), b"\r\n\r\n")

    return behave


def in_reported_error(form: str) -> Behaviour:
    def behave(wire: Wire, request: Request) -> bool:
        wire.send(reply(json.dumps({"error": {form: ["x", form]}}).encode()))
        return True

    return behave


def in_another_shape(form: str) -> Behaviour:
    def behave(wire: Wire, request: Request) -> bool:
        wire.send(reply(json.dumps({"answer": {"text": form}, "chunks": [form]}).encode()))
        return True

    return behave


MODES: dict[str, Callable[[str], Behaviour]] = {
    "good body": in_good_body,
    "html": in_html,
    "401": in_error_body("401 Unauthorized"),
    "404": in_error_body("404 Not Found"),
    "500": in_error_body("500 Oops"),
    "429": in_error_body("429 Slow"),
    "cut at the excerpt": at_the_cut(300),
    "cut at a block": at_the_cut(1200),
    "cut at the end of reading": at_the_cut(16_384),
    "location": in_location,
    "reason": in_reason,
    "status line": in_status_line,
    "headers": in_headers,
    "chunk size": in_chunk_size,
    "length": in_length,
    "reported error": in_reported_error,
    "another shape": in_another_shape,
}


def echoes(mode: str, secret: str) -> tuple[dict[str, Behaviour], int]:
    """A server that spells the secret in all ways, one a case."""
    behaviours = [MODES[mode](form) for form in all_forms(secret)]

    def behave(wire: Wire, request: Request) -> bool | None:
        index = int(request.body.decode().rpartition("question ")[2].partition("?")[0])
        return behaviours[index](wire, request)

    return {"/q": behave}, len(behaviours)


def leak(
    mode: str, secret: str, tmp_path: Path, capsys: Capture, **settings: object
) -> tuple[Ran, FaultServer]:
    behaviours, count = echoes(mode, secret)
    with FaultServer(behaviours) as server:
        response = {
            "answer": "$.answer",
            "chunks": "$.chunks[*]",
            "chunk": {"id": "$.id", "text": "$.text"},
            "error_when": "$.error",
        }
        ran = run(
            tmp_path, capsys, f"{server.url}/q", cases=count, response=response, retries=0,
            **settings,
        )  # fmt: skip
    assert "Traceback (most" not in ran.err
    assert "unexpected" not in ran.err
    return ran, server


@pytest.mark.parametrize("secret", HEADER_SECRETS[:2])
@pytest.mark.parametrize("mode", MODES)
def test_a_secret_in_a_header_stays_hidden(
    mode: str, secret: str, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAGPROOF_TOKEN", secret)
    headers = {"Authorization": "Bearer ${RAGPROOF_TOKEN}"}
    ran, server = leak(mode, secret, tmp_path, capsys, headers=headers)
    assert server.requests[0].headers["authorization"] == f"Bearer {secret}"
    assert "::add-mask::" not in ran.out
    assert_hidden(ran, secret)


@pytest.mark.parametrize("secret", BODY_SECRETS)
@pytest.mark.parametrize("mode", MODES)
def test_a_secret_in_a_body_stays_hidden_in_a_workflow(
    mode: str, secret: str, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("RAGPROOF_DEBUG", "1")
    monkeypatch.setenv("RAGPROOF_TOKEN", secret)
    body = {"key": "${RAGPROOF_TOKEN}", "q": "{{ question }}"}
    ran, server = leak(mode, secret, tmp_path, capsys, body=body)
    assert json.loads(server.requests[0].body)["key"] == secret
    masks = [line for line in ran.out.splitlines() if line.startswith("::add-mask::")]
    assert ran.out.startswith("::add-mask::")
    assert len(masks) == len(set(masks)) >= len(derived_forms(secret))
    assert_hidden(ran, secret)


@pytest.mark.parametrize("secret", BODY_SECRETS)
def test_a_body_without_its_secret_is_still_read(
    secret: str, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is taken out of a body leaves JSON behind, and the rest of it as it was."""
    body = {**ANSWER, "echo": [secret, {secret: 1}, int(secret) if secret.isdigit() else None]}

    def behave(wire: Wire, request: Request) -> bool:
        wire.send(reply(json.dumps(body).encode()))
        return True

    monkeypatch.setenv("RAGPROOF_TOKEN", secret)
    with FaultServer({"/q": behave}) as server:
        ran = run(tmp_path, capsys, f"{server.url}/q", body={"k": "${RAGPROOF_TOKEN}"})
    assert ran.code == 0, ran.out
    saved = ran.saved()[0].bodies["answer"]
    assert {key: saved[key] for key in ANSWER} == ANSWER
    assert saved["echo"][0] == "***" or "***" in saved["echo"][0]
    assert_hidden(ran, secret)


def test_no_secret_reaches_a_message_about_the_configuration(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    for secret in ("line-break-inside\nsecond-line", "ends-with-a-break\n", "smörgåsbord-key"):
        monkeypatch.setenv("RAGPROOF_TOKEN", secret)
        ran = run(tmp_path, capsys, "http://127.0.0.1:1/", headers={"X-Key": "${RAGPROOF_TOKEN}"})
        assert ran.code == 3
        assert "X-Key" in ran.err
        for line in secret.split("\n"):
            assert not line or line not in ran.out + ran.err


def test_a_secret_in_an_address_stays_hidden(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = "k3y-of-an-address/+="
    monkeypatch.setenv("RAGPROOF_TOKEN", quote(secret, safe=""))
    for url in ("http://127.0.0.1:1/q?key=${RAGPROOF_TOKEN}", "http://x.invalid/${RAGPROOF_TOKEN}"):
        ran = run(tmp_path, capsys, url, retries=0)
        assert ran.code == 2
        assert_hidden(ran, quote(secret, safe=""))


def test_an_unset_secret_ends_before_the_first_question(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("RAGPROOF_TOKEN", raising=False)
    with FaultServer({}) as server:
        ran = run(
            tmp_path, capsys, f"{server.url}/q", headers={"Authorization": "${RAGPROOF_TOKEN}"}
        )
        assert server.connections == 0
    assert ran.code == 3
    assert "${RAGPROOF_TOKEN} is not set" in ran.err
    assert "fork" in ran.err
    assert not ran.folder.exists()


def test_other_variables_are_not_given_away(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DEPLOY_KEY", "d3ploy-k3y-value")
    headers = {"X-Key": "${DEPLOY_KEY}"}
    with FaultServer({"/q": in_another_shape("d3ploy-k3y-value")}) as server:
        refused = run(tmp_path, capsys, f"{server.url}/q", headers=headers)
        assert server.connections == 0
        assert refused.code == 3
        assert "--env DEPLOY_KEY" in refused.err
        allowed = run(
            tmp_path, capsys, f"{server.url}/q", headers=headers,
            arguments=("--env", "DEPLOY_KEY"),
        )  # fmt: skip
    assert server.requests[0].headers["x-key"] == "d3ploy-k3y-value"
    assert_hidden(allowed, "d3ploy-k3y-value")
