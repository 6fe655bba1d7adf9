"""Models of the user's: checked when they are given, their errors told apart when asked."""

import asyncio
import inspect
import random
from typing import Any

from ragproof.llm.errors import (
    CompletionError,
    FatalModelError,
    ModelError,
    NotACompleterError,
    Reason,
)
from ragproof.llm.protocol import Completer

TRIES = 3
_FIRST_WAIT_S = 0.5
_METHOD = "get_completion_async"
_SYNC = ("get_completion", "complete", "completion", "generate", "invoke", "predict", "chat")
_FATAL_STATUSES = frozenset({401, 402, 403, 404})
_FATAL_NAMES = frozenset({"AuthenticationError", "PermissionDeniedError", "NotFoundError"})


def adapt(llm: object) -> Completer:
    """Something to ask, from any object with ``async get_completion_async(prompt)``.

    Models whose errors are ours already come back as they are.

    Raises:
        NotACompleterError: it has no such method, or one that does not wait (a TypeError too).
    """
    completer = check_completer(llm)
    return completer if getattr(llm, "raises_model_errors", False) else Adapted(completer)


def check_completer(llm: object) -> Completer:
    """``llm`` itself, if it can be asked.

    Raises:
        NotACompleterError: it cannot.
    """
    name = llm.__name__ if isinstance(llm, type) else type(llm).__name__
    if isinstance(llm, type):
        raise NotACompleterError(
            f"{name} is a class, not a model", f"give an instance: {name}(...)"
        )
    if not isinstance(llm, Completer):
        near = next((one for one in _SYNC if callable(getattr(llm, one, None))), None)
        given = f"; wrap its {near}" if near else ""
        raise NotACompleterError(
            f"{name} has no method {_METHOD}",
            f"give an object with async def {_METHOD}(self, prompt: str) -> str{given}",
        )
    method = llm.get_completion_async
    if not callable(method):
        raise NotACompleterError(f"{name}.{_METHOD} is no method", "define it with async def")
    if _is_sync(method):
        raise NotACompleterError(
            f"{name}.{_METHOD} is not async",
            "define it with async def, and call what blocks with await asyncio.to_thread(...)",
        )
    return llm


def _is_sync(method: Any) -> bool:
    """Whether calling it surely gives no awaitable; of what is wrapped, what is inside counts."""
    inner = inspect.unwrap(method)
    if not (inspect.isfunction(inner) or inspect.ismethod(inner)):
        return False  # an object that is called: only calling it would tell
    return not (inspect.iscoroutinefunction(method) or inspect.iscoroutinefunction(inner))


class Adapted:
    """A user's model, tried again when it fails, whose errors are ours."""

    raises_model_errors = True

    def __init__(self, completer: Completer, tries: int = TRIES) -> None:
        self._completer = completer
        self._name = type(completer).__name__
        self._tries = tries
        self._jitter = random.Random()  # noqa: S311 - spreads retries, secures nothing

    async def get_completion_async(self, prompt: str) -> str:
        """The reply to one prompt.

        Raises:
            CompletionError: it raised something on each try, or gave no text.
            FatalModelError: it says that its key or its model is wrong.
        """
        for tried in range(1, self._tries + 1):
            try:
                reply: object = await self._completer.get_completion_async(prompt)
                break
            except ModelError:
                raise
            except Exception as error:
                if _is_fatal(error):
                    hint = "check its key and the name of its model"
                    raise FatalModelError(self._message(error), hint) from error
                if tried == self._tries:
                    raise CompletionError(Reason.FAILED, self._message(error)) from error
            longest = _FIRST_WAIT_S * 2.0 ** (tried - 1)
            await asyncio.sleep(self._jitter.uniform(longest / 2, longest))
        if not isinstance(reply, str):
            kind = type(reply).__name__
            raise FatalModelError(
                f"{self._name}.{_METHOD} returned {kind}, not str", "return the text of the reply"
            )
        if not reply.strip():
            raise CompletionError(Reason.EMPTY, f"the reply of {self._name} is empty")
        return reply

    def _message(self, error: Exception) -> str:
        text = " ".join(str(error).split())[:300]
        return f"{self._name} raised {type(error).__name__}" + (f": {text}" if text else "")


def _is_fatal(error: Exception) -> bool:
    """Whether an error of a client library says that no call can succeed."""
    status = getattr(error, "status_code", None)
    if status is None:
        status = getattr(getattr(error, "response", None), "status_code", None)
    return status in _FATAL_STATUSES or type(error).__name__ in _FATAL_NAMES
