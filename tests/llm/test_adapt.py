"""Models of the user's."""

import asyncio
import functools
from typing import Any

import pytest
from prompting import make_settings

from ragproof.errors import ExitCode
from ragproof.llm import adapt as adapting
from ragproof.llm.adapt import adapt, check_completer
from ragproof.llm.errors import (
    BudgetError,
    CompletionError,
    FatalModelError,
    NotACompleterError,
    Reason,
)
from ragproof.llm.model import open_model


class Fine:
    async def get_completion_async(self, prompt: str) -> str:
        return f"you said {prompt}"


class Sync:
    def get_completion_async(self, prompt: str) -> str:
        return prompt


class Chat:
    def invoke(self, prompt: str) -> str:
        return prompt


class Value:
    get_completion_async = "text"


class Raising:
    """Raises these in turn, then replies."""

    def __init__(self, *errors: Exception, reply: Any = "yes") -> None:
        self.errors = list(errors)
        self.reply = reply
        self.calls = 0

    async def get_completion_async(self, prompt: str) -> Any:
        self.calls += 1
        if self.errors:
            raise self.errors.pop(0)
        return self.reply


class AuthenticationError(Exception):
    pass


class StatusError(Exception):
    status_code = 404


def traced(method: Any) -> Any:
    @functools.wraps(method)
    def call(*arguments: Any) -> Any:
        return method(*arguments)

    return call


class Traced:
    @traced
    async def get_completion_async(self, prompt: str) -> str:
        return prompt


class Calling:
    """A method that is an object."""

    class _Call:
        async def __call__(self, prompt: str) -> str:
            return prompt

    get_completion_async = _Call()


def complete(llm: Any, prompt: str = "a") -> str:
    return asyncio.run(adapt(llm).get_completion_async(prompt))


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adapting, "_FIRST_WAIT_S", 0.001)


@pytest.mark.parametrize("llm", [Fine(), Traced(), Calling()])
def test_what_can_be_asked_is_asked(llm: Any) -> None:
    assert complete(llm).endswith("a")


@pytest.mark.parametrize(
    ("llm", "message", "hint"),
    [
        (Sync(), "Sync.get_completion_async is not async", "asyncio.to_thread"),
        (Chat(), "Chat has no method get_completion_async", "wrap its invoke"),
        (object(), "object has no method", "async def get_completion_async"),
        (None, "NoneType has no method", "async def get_completion_async"),
        ("gpt", "str has no method", "async def get_completion_async"),
        (Fine, "Fine is a class", "Fine(...)"),
        (Value(), "Value.get_completion_async is no method", "async def"),
    ],
)
def test_what_cannot_is_refused_when_it_is_given(llm: Any, message: str, hint: str) -> None:
    with pytest.raises(NotACompleterError) as caught:
        check_completer(llm)
    assert message in caught.value.message
    assert hint in caught.value.hint
    assert isinstance(caught.value, TypeError)
    assert caught.value.exit_code is ExitCode.USAGE


def test_our_own_models_are_not_wrapped() -> None:
    with open_model(make_settings("http://127.0.0.1:9")) as model:
        assert adapt(model) is model
    wrapped = adapt(Fine())
    assert adapt(wrapped) is wrapped


def test_what_fails_is_tried_again() -> None:
    llm = Raising(OSError("cut"), TimeoutError())
    assert complete(llm) == "yes"
    assert llm.calls == 3


def test_what_always_fails_is_an_error_with_its_reason() -> None:
    llm = Raising(*[OSError("cut\nhere")] * 9)
    with pytest.raises(CompletionError, match="Raising raised OSError: cut here") as caught:
        complete(llm)
    assert caught.value.reason is Reason.FAILED
    assert llm.calls == 3


@pytest.mark.parametrize("error", [AuthenticationError("key"), StatusError()])
def test_a_wrong_key_or_model_ends_all(error: Exception) -> None:
    llm = Raising(error)
    with pytest.raises(FatalModelError):
        complete(llm)
    assert llm.calls == 1


def test_our_errors_pass_through() -> None:
    llm = Raising(BudgetError("enough"))
    with pytest.raises(BudgetError):
        complete(llm)
    assert llm.calls == 1


@pytest.mark.parametrize("reply", [None, b"bytes", {"text": "a"}])
def test_a_reply_that_is_no_text_ends_all(reply: Any) -> None:
    with pytest.raises(FatalModelError, match="not str"):
        complete(Raising(reply=reply))


def test_an_empty_reply_is_none() -> None:
    with pytest.raises(CompletionError) as caught:
        complete(Raising(reply=" "))
    assert caught.value.reason is Reason.EMPTY
