"""The providers' interfaces: from a prompt to a request, and from a body to a reply."""

from ragproof.llm.providers import anthropic, azure, ollama, openai, openrouter
from ragproof.llm.providers.wire import Interface
from ragproof.llm.settings import Provider

INTERFACES: dict[Provider, Interface] = {
    Provider.OPENAI: openai.INTERFACE,
    Provider.ANTHROPIC: anthropic.INTERFACE,
    Provider.OLLAMA: ollama.INTERFACE,
    Provider.OPENROUTER: openrouter.INTERFACE,
    Provider.AZURE: azure.INTERFACE,
}
