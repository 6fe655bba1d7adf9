"""The library."""

import asyncio
import importlib
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from genkit import FEE, HUT, TENT, Model, corpus, kind_of, passages_of
from vikingserver import Viking, serving

import ragproof
from ragproof import DatasetGenerator, EvalDataset, EvalSample
from ragproof.dataset.frozen import hash_cases
from ragproof.dataset.schema import case_dict, read_case
from ragproof.errors import RagproofError, UsageError
from ragproof.generate.works import GenerationError
from ragproof.llm.errors import FatalModelError
from ragproof.records import Kind

LONG = "\n\n".join(
    f"Paragraph {n} tells of stone {n * 31} in the wall of the harbour." for n in range(900)
)


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ragproof.llm.adapt._FIRST_WAIT_S", 0.001)


def content(model: Any, text: str, count: int = 3, **settings: Any) -> EvalDataset:
    generator = DatasetGenerator(model, **settings)
    return asyncio.run(generator.generate_from_content(text, count=count, source_name="notes.md"))


def test_content() -> None:
    dataset = content(Model(), f"{FEE}\n\n{HUT}", 1)
    assert isinstance(dataset, EvalDataset)
    assert dataset.name == "notes.md"
    assert "1 cases on 1 document, written by Model" in dataset.description
    (sample,) = dataset
    assert isinstance(sample, EvalSample)
    assert len(dataset) == 1
    assert sample.context == (f"{FEE}\n\n{HUT}",)
    assert sample.source_ids == ("notes.md",)
    assert sample.answer
    assert sample.answer in sample.evidence[0].quote
    assert dataset.account.delivered() == 1
    (case,) = dataset.to_cases()
    assert (case.question, case.expected_answer) == (sample.question, sample.answer)
    assert case.origin is not None
    assert case.origin["model"] == "Model"


def test_cases_are_valid_and_can_be_frozen() -> None:
    generator = DatasetGenerator(Model(), seed=3, domain="technical")
    dataset = asyncio.run(
        generator.generate_from_corpus(corpus(), 3, unanswerable=2, injection=2, multi_document=1)
    )
    cases = dataset.to_cases()
    assert [case.kind for case in cases].count(Kind.QA) == 4
    assert len(cases) == 8
    assert [read_case(case_dict(case)) for case in cases] == cases
    assert len(hash_cases(cases).cases) == 8
    assert all("technical" in case.tags for case in cases if case.kind is Kind.QA)
    assert all(sample.context for sample in dataset)


def test_long_content_is_read_to_its_end() -> None:
    """A question may come from any part of it."""
    model = Model()
    content(model, LONG, 60)
    seen = [passages_of(one)[0] for one in model.prompts if kind_of(one) == "question"]
    places = [LONG.index(passage) / len(LONG) for passage in seen]
    assert max(places) > 0.9
    assert min(places) < 0.1
    assert max(map(len, seen)) <= 1200


def test_a_folder(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(FEE, encoding="utf-8")
    (tmp_path / "b.png").write_bytes(b"\x89PNG\r\n")
    dataset = asyncio.run(DatasetGenerator(Model()).generate_from_corpus(tmp_path, 1))
    assert [sample.source_ids for sample in dataset] == [("a.md",)]
    assert [name for name, _ in dataset.unread] == ["b.png"]


@pytest.mark.parametrize(
    ("path", "recursive", "documents"),
    [
        ("docs", True, {"docs/fee.md", "docs/deep/tent.md", "docs/deep/er/hut.md"}),
        ("docs", False, {"docs/fee.md"}),
        ("docs/deep", False, {"docs/deep/tent.md"}),
        ("viking://resources/docs/deep", True, {"docs/deep/tent.md", "docs/deep/er/hut.md"}),
    ],
)
def test_a_folder_of_an_openviking_server(
    path: str, recursive: bool, documents: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    files: dict[str, str | bytes] = {
        "fee.md": FEE,
        "deep/tent.md": TENT,
        "deep/er/hut.md": HUT,
    }
    with serving(Viking(files)) as viking:
        monkeypatch.setenv("RAGPROOF_VIKING_URL", viking.url)
        generator = DatasetGenerator(Model())
        dataset = asyncio.run(
            generator.generate_from_viking_path(path, count=5, recursive=recursive)
        )
    sources = {source for sample in dataset for source in sample.source_ids}
    assert sources == {f"viking://resources/{name}" for name in documents}
    assert all(sample.tags == ("docs",) for sample in dataset)
    assert dataset.name.startswith("viking://resources/docs")


def test_a_server_that_nobody_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RAGPROOF_VIKING_URL", raising=False)
    with pytest.raises(RagproofError, match="OpenViking"):
        asyncio.run(DatasetGenerator(Model()).generate_from_viking_path("docs"))


def test_seeds_choose() -> None:
    texts = {f"{n}.md": f"{text} {n}." for n, text in enumerate([FEE, TENT, HUT] * 5)}
    sets = {
        tuple(
            sample.source_ids
            for sample in asyncio.run(
                DatasetGenerator(Model(), seed=seed).generate_from_corpus(corpus(texts), 2)
            )
        )
        for seed in range(6)
    }
    assert len(sets) > 2


class Refusing:
    """A model of a client library that says that the key is wrong."""

    calls = 0

    async def get_completion_async(self, prompt: str) -> str:
        self.calls += 1
        error = RuntimeError("401 Incorrect API key provided")
        error.status_code = 401  # type: ignore[attr-defined]
        raise error


def test_a_wrong_key_is_an_error_at_once() -> None:
    model = Refusing()
    with pytest.raises(FatalModelError, match="Incorrect API key"):
        content(model, LONG, 40)
    assert model.calls <= 20


def test_a_model_that_always_fails_is_an_error_and_never_an_empty_dataset() -> None:
    model = Model(question=ConnectionError("down"))
    with pytest.raises(GenerationError, match=r"the model answered no call(.|\n)*down") as caught:
        content(model, FEE, 2)
    assert caught.value.ledger.failed()


def test_what_failed_is_accounted_for() -> None:
    def question(prompt: str) -> Any:
        return (
            ConnectionError("down")
            if "kayak" in prompt
            else "nonsense"
            if "tent" in prompt
            else [
                {
                    "question": "Who is the warden of the hut?",
                    "answer": "Ingrid Solberg",
                    "quote": HUT[46:],
                }
            ]
        )

    generator = DatasetGenerator(Model(question=question))
    dataset = asyncio.run(generator.generate_from_corpus(corpus(), 3))
    assert len(dataset) == 1
    assert dataset.account.failed() == {"failed": 3}
    assert dataset.account.discarded()["the reply is not JSON"] == 3
    assert dataset.account.missing()


def test_nothing_usable_is_an_error() -> None:
    with pytest.raises(GenerationError, match="no case could be made"):
        content(Model(check={"answerable": False}), FEE, 2)


@pytest.mark.parametrize("text", ["", "   ", "# Title"])
def test_content_that_says_nothing(text: str) -> None:
    model = Model()
    with pytest.raises(RagproofError, match="enough text"):
        content(model, text, 2)
    assert model.prompts == []


class Sync:
    def get_completion_async(self, prompt: str) -> str:
        return "{}"


@pytest.mark.parametrize("llm", [None, "gpt-4", object(), Sync(), Model])
def test_what_cannot_be_asked_is_refused_when_the_generator_is_made(llm: object) -> None:
    with pytest.raises(UsageError):
        DatasetGenerator(llm)


@pytest.mark.parametrize(
    "settings",
    [{"domain": "poetry"}, {"chunk_size": 0}, {"chunk_overlap": 900}, {"concurrency": 0}],
)
def test_settings_that_cannot_be(settings: dict[str, Any]) -> None:
    with pytest.raises(RagproofError):
        DatasetGenerator(Model(), **settings)


@pytest.mark.parametrize("count", [0, -1])
def test_counts_that_cannot_be(count: int) -> None:
    with pytest.raises(UsageError):
        content(Model(), FEE, count)


def test_how_many_calls_are_made_at_once() -> None:
    inside = most = 0

    class Counting(Model):
        async def get_completion_async(self, prompt: str) -> str:
            nonlocal inside, most
            inside += 1
            most = max(most, inside)
            await asyncio.sleep(0.001)
            inside -= 1
            return await super().get_completion_async(prompt)

    content(Counting(), LONG, 20, concurrency=3)
    assert most == 3


def test_names_are_exported_late() -> None:
    assert set(ragproof.__all__) == {"DatasetGenerator", "EvalDataset", "EvalSample", "__version__"}
    with pytest.raises(AttributeError):
        ragproof.Nothing  # noqa: B018
    importlib.reload(ragproof)
    done = subprocess.run(
        [sys.executable, "-c", "import ragproof, sys; print('ragproof.generate' in sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "False\n"
