"""Asks models in tests: settings with defaults, and many prompts at once."""

import asyncio
from collections.abc import Iterable
from typing import Any

from ragproof.llm.errors import ModelError
from ragproof.llm.model import Model
from ragproof.llm.settings import ModelSettings, Provider

KEY = "sk-test-0123456789abcdef"


def make_settings(url: str, **fields: Any) -> ModelSettings:
    """Settings for a server at ``url`` that wait for nothing long."""
    usual: dict[str, Any] = {
        "provider": Provider.OPENAI,
        "model": "scripted",
        "base_url": url,
        "max_tokens": 100,
        "timeout": 5.0,
        "max_wait": 5.0,
    }
    return ModelSettings(**{**usual, **fields})


def ask(model: Model, *prompts: str) -> list[str | ModelError]:
    """Replies to all prompts, asked at once, or the errors in their places."""

    async def one(prompt: str) -> str | ModelError:
        try:
            return await model.get_completion_async(prompt)
        except ModelError as error:
            return error

    async def every(asked: Iterable[str]) -> list[str | ModelError]:
        return await asyncio.gather(*map(one, asked))

    return asyncio.run(every(prompts or ("why?",)))
