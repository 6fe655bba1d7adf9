"""How close asking a model comes to calls x latency / concurrency.

    python benchmarks/models.py [--calls N] [--concurrency N] [--latency S] [--runs N]

The model is the scripted one of the tests, in a process of its own. Each run asks prompts of 4 KB
with an empty cache, then the same ones again, from the cache.
"""

import argparse
import asyncio
import contextlib
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from ragproof.llm.environment import read_model_settings
from ragproof.llm.model import open_model
from ragproof.llm.settings import ModelSettings

SERVER = Path(__file__).resolve().parents[1] / "tests" / "llm" / "scripted.py"
LIMIT = 1.2


@contextlib.contextmanager
def serving(folder: Path, latency: float) -> Iterator[str]:
    """The address of a model that takes so many seconds for each reply."""
    script = folder / "script.json"
    reply = {"question": "What is it?", "answer": "It is this.", "quote": "this " * 40}
    script.write_text(json.dumps({"latency": latency, "steps": [{"json": reply}]}))
    command = [sys.executable, str(SERVER), "--script", str(script)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            yield json.loads(server.stdout.readline())["url"]
        finally:
            server.terminate()


def timed(settings: ModelSettings, cache: Path, prompts: list[str]) -> float:
    """Seconds for all prompts, from opening the model to closing it."""

    async def every() -> None:
        with open_model(settings, cache=cache) as model:
            await asyncio.gather(*map(model.get_completion_async, prompts))

    started = time.perf_counter()
    asyncio.run(every())
    return time.perf_counter() - started


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--calls", type=int, default=480)
    parser.add_argument("--concurrency", type=int, default=16)
    parser.add_argument("--latency", type=float, default=0.1)
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    ideal = options.calls * options.latency / options.concurrency
    prompts = [
        f"{index}: " + "Some sentence of a passage. " * 145 for index in range(options.calls)
    ]
    print(f"{options.calls} calls x {options.latency:g} s / {options.concurrency} = {ideal:.2f} s")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with serving(folder, options.latency) as url:
            settings = read_model_settings(
                {
                    "RAGPROOF_GEN_MODEL": "scripted",
                    "RAGPROOF_GEN_BASE_URL": url,
                    "RAGPROOF_GEN_CONCURRENCY": str(options.concurrency),
                }
            )
            for run in range(options.runs):
                cache = folder / f"cache-{run}"
                first = timed(settings, cache, prompts)
                again = timed(settings, cache, prompts)
                verdict = "" if first <= LIMIT * ideal else f" (over {LIMIT:g})"
                print(f"asked: {first:.2f} s, {first / ideal:.2f} of it{verdict}", end="; ")
                print(f"from the cache: {again:.2f} s")


if __name__ == "__main__":
    main()
