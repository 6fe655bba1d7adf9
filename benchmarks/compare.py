"""ragproof beside the tools that users would pick instead: same endpoint, same cases.

Takes the options of the kit's ``bench.py``, to whose runners it adds ``ragproof``; for example
``python benchmarks/compare.py --runners ragproof,ragproof1-2call --n 1000 -c 32 --latency 0,50``.
"""

import json
import sys
from pathlib import Path
from typing import Any

import kit


def _means(output: str, context: dict[str, Any]) -> dict[str, Any]:
    with (Path(context["work"]) / "out" / "run.json").open(encoding="utf-8") as file:
        head = json.loads(file.readline().rstrip() + "]}")
    return {"verdict": head["verdict"]} | {row["name"]: row["value"] for row in head["metrics"]}


def main() -> None:
    """Add the runner and hand over."""
    kit.prepare()
    sys.path.insert(0, str(kit.HOME))
    import bench  # noqa: PLC0415 - it stands in the folder made just now

    template = kit.CONFIG.format(dataset="@dataset@", url="@base@", concurrency="@c@")
    (kit.HOME / "templates" / "ragproof-ours.yml").write_text(template)
    bench.check_ours = _means
    bench.RUNNERS["ragproof"] = {
        "cmd": f"{kit.OURS}/ragproof run --config @work@/ragproof.yml --out @work@/out",
        "files": {"ragproof-ours.yml": "ragproof.yml"},
        "check": "ours",
        "ok": (0, 1),
    }
    bench.main()


if __name__ == "__main__":
    main()
