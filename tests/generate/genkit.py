"""Chunks, corpora and models for tests."""

import asyncio
import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from ragproof.corpus.chunk import ChunkSettings, chunk_corpus
from ragproof.corpus.records import Chunk, Corpus, Document
from ragproof.generate.asking import Asker
from ragproof.generate.metadata import facts, maker
from ragproof.generate.prompts import load_prompts
from ragproof.generate.works import Works
from ragproof.strictjson import sha256_hex

FEE = "The rental fee of a kayak is 12 euros a day. It is paid at the counter in the boat house."
TENT = "A family tent sleeps six people and weighs eleven kilograms. It is lent for two weeks."
HUT = "The hut on Raven Peak opens on the first of May. Its warden is called Ingrid Solberg."


def chunk(text: str, document: str = "a.md", start: int = 0, **fields: Any) -> Chunk:
    """A chunk; its id comes from document and text."""
    name = sha256_hex(f"{document}\0{text}".encode("utf-8", "surrogatepass"))[:16]
    return Chunk(name, document, start, start + len(text), text, **fields)


def corpus(texts: Mapping[str, str] | None = None, format_: str = "markdown") -> Corpus:
    """A corpus of these texts by id."""
    texts = texts or {"fee.md": FEE, "tent.md": TENT, "hut.md": HUT}
    return Corpus(tuple(Document(name, text, format_) for name, text in sorted(texts.items())))


def works(of: Corpus | None = None, *, seed: int = 0, **fields: Any) -> Works:
    """The state of a generation on a corpus, the default one if none is given."""
    of = of or corpus()
    settings, prompts = ChunkSettings(), load_prompts()
    made_by = maker(of, settings, seed, "test/model", prompts)
    state = Works(chunk_corpus(of, settings), made_by, **fields)
    state.ledger.facts = facts(of, made_by, prompts)
    return state


class Model:
    """Answers by the kind of prompt. ``replies`` maps the name of a template to what is said:
    a text, a value that becomes JSON, an exception that is raised, or a function of the prompt."""

    def __init__(self, latency: float = 0.0, **replies: Any) -> None:
        self.latency = latency
        self.replies = {**HONEST, **replies}
        self.prompts: list[str] = []

    async def get_completion_async(self, prompt: str) -> str:
        self.prompts.append(prompt)
        if self.latency:
            await asyncio.sleep(self.latency)
        said = self.replies[kind_of(prompt)]
        if callable(said) and not isinstance(said, type):
            said = said(prompt)
        if isinstance(said, Exception):
            raise said
        return said if isinstance(said, str) else json.dumps(said, ensure_ascii=False)

    def count(self, name: str) -> int:
        """How many prompts of a kind came."""
        return sum(kind_of(prompt) == name for prompt in self.prompts)


def asker(model: Any, concurrency: int = 8) -> Asker:
    """Asks a model with the templates that are shipped."""
    return Asker(model, load_prompts(), concurrency)


_KINDS = {
    "takes both documents to answer": "several",
    "to test whether a system": "unanswerable",
    "quiz question": "question",
}
_STARTS = {
    "Answer a quiz question by what is written": "solve",
    "Somebody wrote a quiz question": "check",
    "A question has an expected answer": "elsewhere",
    "Find out whether any of these": "answerable",
}


def kind_of(prompt: str) -> str:
    """The template that a prompt was made with."""
    started = [name for words, name in _STARTS.items() if prompt.startswith(words)]
    task = prompt.rpartition("\nTask: ")[2]
    return next(iter([*started, *(name for words, name in _KINDS.items() if words in task)]))


def passages_of(prompt: str) -> list[str]:
    """The passages in a prompt."""
    return re.findall(r"<passage-\w+>\n(.*?)\n</passage-\w+>", prompt, re.DOTALL)


def asked_of(prompt: str) -> str:
    """The question in a prompt."""
    found = re.search(r"<question-\w+>\n(.*?)\n</question-\w+>", prompt, re.DOTALL)
    return found[1] if found else ""


def question_on(passage: str) -> dict[str, str]:
    """An honest question on a passage: its first sentence is the quote, the last word of it the
    answer."""
    quote = re.split(r"(?<=[.!?])\s", passage.strip())[0]
    words = re.findall(r"\w+", quote)
    topic = " ".join(words[:-2])
    answer = " ".join(words[-2:])
    return {"question": f"How does it go on: {topic}?", "answer": answer, "quote": quote}


def _questions(prompt: str) -> Any:
    return {"questions": [question_on(passages_of(prompt)[0])]}


def _several(prompt: str) -> Any:
    first, second = map(question_on, passages_of(prompt))
    question = f"{first['question']} And {second['question']}"
    answer = f"{first['answer']} and {second['answer']}"
    quotes = [first["quote"], second["quote"]]
    return {"questions": [{"question": question, "answer": answer, "quotes": quotes}]}


def _solve(prompt: str) -> Any:
    """An answer that tells so much that it must be compared."""
    return {"answerable": True, "answer": " ".join(passages_of(prompt)) + " so it is" * 25}


def _unanswerable(prompt: str) -> Any:
    words = re.findall(r"\w+", passages_of(prompt)[0])
    return {"questions": [{"question": f"Who invented {' '.join(words[:4])} in 1871?"}]}


HONEST: dict[str, Callable[[str], Any] | Any] = {
    "question": _questions,
    "several": _several,
    "solve": _solve,
    "check": {"answerable": True, "answer": "so", "correct": True, "needed": True},
    "elsewhere": {"answers": []},
    "unanswerable": _unanswerable,
    "answerable": {"answered": False, "passage": None, "quote": None},
}
