"""What can go wrong with a model: with one call, or with all of them.

``except CompletionError`` catches what another call may not meet. What no further call can
mend (:class:`FatalModelError`, :class:`BudgetError`) is no such error and passes through.
"""

from enum import StrEnum

from ragproof.errors import RagproofError, UsageError


class Reason(StrEnum):
    """Why a call gave nothing that can be used, as it is counted."""

    TRUNCATED = "truncated"
    """The model reached its limit of tokens, or the text ends in the middle."""
    REFUSED = "refused"
    """The model or a filter declined."""
    EMPTY = "empty"
    """The reply holds no text."""
    SHAPE = "shape"
    """The response is not what the provider's interface promises."""
    NOT_JSON = "not_json"
    """The reply is no JSON and cannot be repaired without guessing."""
    AMBIGUOUS = "ambiguous"
    """The reply holds several values, or one with the same key twice."""
    TOO_LONG = "too_long"
    """The prompt does not fit into the model's context."""
    REJECTED = "rejected"
    """The provider rejects this one request."""
    UNAVAILABLE = "unavailable"
    """No answer after all tries: connection, time limit, rate limit, server errors."""
    FAILED = "failed"
    """A model of the user's raised something."""
    STOPPED = "stopped"
    """The model was closed before or while it was asked."""


class ModelError(RagproofError):
    """Base of all errors of models."""


class CompletionError(ModelError):
    """One call gave nothing that can be used; others may. ``reason`` is what to count it by."""

    def __init__(self, reason: Reason, message: str, hint: str = "") -> None:
        super().__init__(message, hint)
        self.reason = reason


class TruncatedError(CompletionError):
    """The reply was cut off at the limit of tokens; what there is of it is never used."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(Reason.TRUNCATED, message, hint)


class RefusedError(CompletionError):
    """The model or a filter of its provider declined to answer."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(Reason.REFUSED, message, hint)


class UnavailableError(CompletionError):
    """No answer after all tries."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(Reason.UNAVAILABLE, message, hint)


class ReplyError(CompletionError):
    """The reply's text cannot be taken as data."""


class FatalModelError(ModelError):
    """No call can succeed: a wrong key, an unknown model, no credit, nobody there."""


class BudgetError(ModelError):
    """The next call could exceed the budget, so it was not made."""


class NotACompleterError(UsageError, TypeError):
    """An object that cannot be used as a model."""
