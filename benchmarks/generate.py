"""How close generating cases comes to calls x latency / concurrency, real time.

    python benchmarks/generate.py [--cases N] [--concurrency N] [--latency S] [--runs N]

The model answers in this process after so many seconds; no network is between. Each run makes `qa`
cases of 400 small documents: four calls and one full-text search a case.
"""

import argparse
import asyncio
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "generate"))

from genkit import Model, asker, corpus, works

from ragproof.generate.run import Wanted, generate

LIMIT = 1.2


def measure(cases: int, concurrency: int, latency: float) -> tuple[int, float]:
    """Calls made, and how long it took over what calls alone must take."""
    texts = {
        f"{n}.md": f"Paragraph {n} of the set. It has {n * 13} words on boats and {n * 7} on tents."
        for n in range(400)
    }
    state, model = works(corpus(texts)), Model(latency)
    begun = time.perf_counter()
    asyncio.run(generate(state, asker(model, concurrency), Wanted(qa=cases)))
    took = time.perf_counter() - begun
    assert len(state.cases()) == cases
    return len(model.prompts), took / (len(model.prompts) * latency / concurrency)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=96)
    parser.add_argument("--concurrency", type=int, default=16)
    parser.add_argument("--latency", type=float, default=0.1)
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    ratios = []
    for _ in range(options.runs):
        calls, ratio = measure(options.cases, options.concurrency, options.latency)
        ratios.append(ratio)
        print(f"{calls} calls: {ratio:.3f} x calls x latency / concurrency")
    return int(min(ratios) > LIMIT)


if __name__ == "__main__":
    sys.exit(main())
