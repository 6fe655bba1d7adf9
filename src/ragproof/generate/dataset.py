"""The library: questions from content, from a corpus or from an OpenViking server.

dataset = await DatasetGenerator(llm).generate_from_content(text, count=5)
cases = dataset.to_cases()
print("\n".join(dataset.account.lines()))
"""

import asyncio
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ragproof.corpus.chunk import ChunkSettings, chunk_corpus
from ragproof.corpus.records import Corpus, Document
from ragproof.errors import UsageError
from ragproof.generate.asking import Asker
from ragproof.generate.ledger import Ledger
from ragproof.generate.metadata import facts, maker
from ragproof.generate.prompts import Prompts, load_prompts
from ragproof.generate.run import Wanted, generate
from ragproof.generate.works import Works
from ragproof.llm.adapt import adapt
from ragproof.records import Case, Evidence, Kind

if TYPE_CHECKING:
    from ragproof.corpus.viking import VikingServer

CONCURRENCY = 8
"""Calls at once, of a model that has no limit of its own."""


class EvalSample(NamedTuple):
    """One case with what it was made from.

    ``answer`` is ``None`` where nothing is expected. ``context`` are the chunks that the answer
    stands in, or that an unanswerable question was compared with; ``source_ids`` the documents;
    ``evidence`` the quotes.
    """

    question: str
    answer: str | None
    context: tuple[str, ...]
    kind: Kind = Kind.QA
    source_ids: tuple[str, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    tags: tuple[str, ...] = ()
    language: str | None = None
    payload: str | None = None
    origin: dict[str, Any] | None = None
    id: str = ""


@dataclass(frozen=True, slots=True)
class EvalDataset:
    """Samples, and the account of all candidates for them.

    ``account`` says how many were asked for, what was discarded and which calls failed;
    ``unread`` are the files that could not be read, each with its reason.
    """

    name: str
    description: str
    samples: tuple[EvalSample, ...]
    account: Ledger
    unread: tuple[tuple[str, str], ...] = ()

    def __len__(self) -> int:
        return len(self.samples)

    def __iter__(self) -> Iterator[EvalSample]:
        return iter(self.samples)

    def to_cases(self) -> list[Case]:
        """The samples as cases, ready to be written, frozen or evaluated."""
        return [
            Case(
                id=one.id,
                question=one.question,
                kind=one.kind,
                expected_answer=one.answer,
                expected_source_ids=one.source_ids,
                adversarial_payload=one.payload,
                evidence=one.evidence,
                tags=one.tags,
                language=one.language,
                origin=one.origin,
            )
            for one in self.samples
        ]


class DatasetGenerator:
    """Makes datasets with a language model.

    ``llm`` is any object with ``async get_completion_async(prompt) -> str``. ``seed`` chooses the
    chunks, ``domain`` what is asked for (``general``, ``technical``, ``legal``, ``medical``, or
    one of the folder ``prompts``, which holds templates of your own), ``chunk_size`` and
    ``chunk_overlap`` are in characters, ``concurrency`` is how many calls are made at once.
    ``model`` is a name to note in the origin of cases.

    Raises:
        UsageError: ``llm`` cannot be asked, or a setting cannot be.
        ConfigError: a template cannot be used.
    """

    def __init__(  # noqa: PLR0913
        self,
        llm: object,
        *,
        seed: int = 0,
        domain: str = "general",
        prompts: str | PathLike[str] | None = None,
        chunk_size: int = 1_200,
        chunk_overlap: int = 150,
        concurrency: int = CONCURRENCY,
        model: str | None = None,
    ) -> None:
        self._llm = adapt(llm)
        self._seed = seed
        self._prompts: Prompts = load_prompts(domain, None if prompts is None else Path(prompts))
        self._chunking = ChunkSettings(chunk_size, chunk_overlap)
        if concurrency < 1:
            raise UsageError(f"a concurrency of {concurrency} asks nothing", "use 8, say")
        self._concurrency = concurrency
        self._model = model or _name(llm)

    async def generate_from_content(
        self, content: str, count: int = 3, source_name: str = "content"
    ) -> EvalDataset:
        """Questions on one text, which is read to its end however long it is.

        Raises:
            RagproofError: the model cannot be asked, or gave nothing that could be used.
        """
        format_ = "markdown" if source_name.lower().endswith((".md", ".markdown")) else "text"
        corpus = Corpus((Document(source_name, content, format_),))
        return await self.generate_from_corpus(corpus, count, name=source_name)

    async def generate_from_viking_path(
        self,
        path: str,
        count: int = 5,
        scope: str = "resources",
        recursive: bool = True,
        *,
        server: "VikingServer | None" = None,
    ) -> EvalDataset:
        """Questions on what stands under ``viking://scope/path`` of an OpenViking server.

        ``path`` may be a whole address. Without ``recursive`` only documents directly in the
        folder count. ``server`` is by default what the environment says.

        Raises:
            RagproofError: the server or the model cannot be asked, or gave nothing to use.
        """
        uri = path if path.startswith("viking://") else f"viking://{scope}/{path.strip('/')}"
        corpus = await asyncio.to_thread(_read_viking, uri, server, recursive)
        return await self.generate_from_corpus(corpus, count, name=uri)

    async def generate_from_corpus(
        self,
        corpus: Corpus | str | PathLike[str],
        count: int = 10,
        *,
        unanswerable: int = 0,
        injection: int = 0,
        multi_document: int = 0,
        name: str = "",
    ) -> EvalDataset:
        """Cases on a corpus that was read, or on the files at a path.

        Raises:
            RagproofError: the corpus cannot be read, the model cannot be asked, or nothing
                that could be used came of it.
        """
        read = corpus
        if not isinstance(read, Corpus):
            name = name or str(corpus)
            read = await asyncio.to_thread(_open, str(corpus))
        wanted = Wanted(count, unanswerable, injection, multi_document)
        if min(wanted) < 0 or not any(wanted):
            raise UsageError("no cases are asked for", "give a count of 1 or more")
        chunks = await asyncio.to_thread(chunk_corpus, read, self._chunking)
        made_by = maker(read, self._chunking, self._seed, self._model, self._prompts)
        works = Works(chunks, made_by, tags=self._prompts.tags)
        works.ledger.requested = wanted.counts()
        works.ledger.facts = facts(read, made_by, self._prompts)
        asker = Asker(self._llm, self._prompts, self._concurrency)
        await generate(works, asker, wanted)
        works.plant(wanted.injection, documents=False)
        works.require_something()
        samples = tuple(_sample(works, case) for case in works.cases())
        return EvalDataset(
            name=name or "corpus",
            description=_describe(read, samples, self._model),
            samples=samples,
            account=works.ledger,
            unread=tuple((one.id, one.reason) for one in read.skipped),
        )


def _open(location: str) -> Corpus:
    from ragproof.corpus.locate import open_corpus  # noqa: PLC0415

    return open_corpus(location)


def _read_viking(uri: str, server: "VikingServer | None", recursive: bool) -> Corpus:
    from ragproof.corpus.viking import read_viking, viking_server  # noqa: PLC0415

    return read_viking(uri, server or viking_server(os.environ), recursive=recursive)


def _sample(works: Works, case: Case) -> EvalSample:
    return EvalSample(
        question=case.question,
        answer=case.expected_answer,
        context=works.context(case.id),
        kind=case.kind,
        source_ids=case.expected_source_ids,
        evidence=case.evidence,
        tags=case.tags,
        language=case.language,
        payload=case.adversarial_payload,
        origin=case.origin,
        id=case.id,
    )


def _describe(corpus: Corpus, samples: Sequence[EvalSample], model: str) -> str:
    documents = len(corpus.documents)
    plural = "" if documents == 1 else "s"
    return f"{len(samples)} cases on {documents} document{plural}, written by {model}"


def _name(llm: object) -> str:
    """What a model is called: by its settings, its attribute ``model``, or its class."""
    settings = getattr(llm, "settings", None)
    for one in (getattr(settings, "name", None), getattr(llm, "model", None)):
        if isinstance(one, str) and one:
            return one
    return type(llm).__name__
