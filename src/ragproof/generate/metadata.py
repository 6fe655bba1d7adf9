"""What is noted about a run: in the origin of cases, and in the ledger beside the dataset."""

from typing import Any

from ragproof.corpus.chunk import ChunkSettings
from ragproof.corpus.records import Corpus
from ragproof.generate.origin import Maker
from ragproof.generate.prompts import Prompts
from ragproof.version import __version__

EXTRACTIVE = "extractive"
LLM = "llm"


def maker(
    corpus: Corpus,
    chunking: ChunkSettings,
    seed: int,
    model: str | None = None,
    prompts: Prompts | None = None,
) -> Maker:
    """What makes cases of a corpus; without a model the extractive generator."""
    return Maker(
        generator=EXTRACTIVE if prompts is None else LLM,
        seed=seed,
        size=chunking.size,
        overlap=chunking.overlap,
        documents={document.id: document.hash for document in corpus.documents},
        model=model,
        prompts=None if prompts is None else prompts.hash,
    )


def facts(corpus: Corpus, made_by: Maker, prompts: Prompts | None = None) -> dict[str, Any]:
    """The metadata of a run: no times and no places, so that equal runs give equal files."""
    found: dict[str, Any] = {
        "ragproof": __version__,
        "generator": made_by.generator,
        "seed": made_by.seed,
    }
    if prompts is not None:
        found["model"] = made_by.model
        found["domain"] = prompts.domain
        found["prompts"] = dict(prompts.hashes)
    return found | {
        "corpus_hash": corpus.fingerprint,
        "documents": len(corpus.documents),
        "skipped": [{"id": one.id, "reason": one.reason} for one in corpus.skipped],
        "chunking": [made_by.size, made_by.overlap],
    }
