"""OpenRouter: chat completions of many providers' models, named ``maker/model``."""

from ragproof.llm.providers import openai
from ragproof.llm.providers.wire import Dialect, Interface
from ragproof.llm.settings import ModelSettings


def dialect(settings: ModelSettings) -> Dialect:
    """It translates for the makers of the models, so one dialect does for all."""
    return Dialect()


INTERFACE = Interface(dialect, openai.build, openai.read)
