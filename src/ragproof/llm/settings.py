"""Which model is asked, how, and what it may cost."""

from dataclasses import dataclass, field
from enum import StrEnum


class Provider(StrEnum):
    """Whose interface a model is asked through."""

    OPENAI = "openai"
    """OpenAI, and every server with the same interface."""
    ANTHROPIC = "anthropic"
    OLLAMA = "ollama"
    OPENROUTER = "openrouter"
    AZURE = "azure"


DEFAULT_URLS = {
    Provider.OPENAI: "https://api.openai.com/v1",
    Provider.ANTHROPIC: "https://api.anthropic.com",
    Provider.OLLAMA: "http://localhost:11434",
    Provider.OPENROUTER: "https://openrouter.ai/api/v1",
}
AZURE_API_VERSION = "2024-10-21"


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSettings:
    """A model with its limits.

    ``temperature`` and ``seed`` are left out of requests where they are ``None``. ``rate_limit``
    is in requests a second; ``timeout`` in seconds for one whole call; ``max_wait`` in seconds
    that one prompt may wait between its tries; prices in money for a million tokens.
    ``prefix`` is what the names of the variables begin with that messages speak of.
    """

    provider: Provider
    model: str
    base_url: str
    key: str | None = field(default=None, repr=False)
    api_version: str = AZURE_API_VERSION
    max_tokens: int = 2048
    temperature: float | None = 0.0
    seed: int | None = None
    concurrency: int = 8
    rate_limit: float | None = None
    timeout: float = 120.0
    retries: int = 5
    max_wait: float = 120.0
    budget_tokens: int | None = None
    budget_cost: float | None = None
    price_in: float | None = None
    price_out: float | None = None
    prefix: str = "RAGPROOF_GEN"

    @property
    def name(self) -> str:
        """Provider and model, as they are written into metadata and messages."""
        return f"{self.provider}/{self.model}"

    def variable(self, name: str) -> str:
        """The full name of a variable: ``MODEL`` is ``RAGPROOF_GEN_MODEL``."""
        return f"{self.prefix}_{name}"

    def cost(self, tokens_in: int, tokens_out: int) -> float | None:
        """What so many tokens cost; ``None`` where no prices are set."""
        if self.price_in is None or self.price_out is None:
            return None
        return (tokens_in * self.price_in + tokens_out * self.price_out) / 1_000_000
