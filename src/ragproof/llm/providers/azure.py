"""Azure OpenAI: chat completions of a deployment, with a version and a header of its own."""

from urllib.parse import quote

from ragproof.llm.providers import openai
from ragproof.llm.providers.wire import Call, Dialect, Interface
from ragproof.llm.settings import ModelSettings

_PATH = "chat/completions"


def dialect(settings: ModelSettings) -> Dialect:
    """Older models know the old name of the limit only; what newer ones reject is learnt."""
    return Dialect()


def build(settings: ModelSettings, dialect: Dialect, prompt: str) -> Call:
    """The request for one prompt. A base that ends with ``/v1`` is of the newer interface,
    which names the deployment in the body and has no version."""
    base = settings.base_url.rstrip("/").removesuffix("/openai")
    headers = {} if settings.key is None else {"api-key": settings.key}
    body = openai.body(settings, dialect, prompt)
    if base.endswith("/v1"):
        return Call(f"{base}/{_PATH}", headers, {"model": settings.model, **body})
    deployment = quote(settings.model, safe="")
    version = quote(settings.api_version, safe="")
    url = f"{base}/openai/deployments/{deployment}/{_PATH}?api-version={version}"
    return Call(url, headers, body)


INTERFACE = Interface(dialect, build, openai.read)
