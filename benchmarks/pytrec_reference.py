"""What scoring saved responses costs with pytrec_eval: read, map, evaluate, print the means."""

import json
import sys

import pytrec_eval

MEASURES = {"P.10", "recall.10", "success.10", "ndcg_cut.10", "recip_rank", "map"}


def main(dataset: str, responses: str) -> None:
    """Evaluate the responses to the qa cases of a dataset."""
    qrels: dict[str, dict[str, int]] = {}
    with open(dataset, encoding="utf-8") as file:
        for line in file:
            case = json.loads(line)
            if case["expected_source_ids"]:
                qrels[case["id"]] = dict.fromkeys(case["expected_source_ids"], 1)
    run: dict[str, dict[str, float]] = {}
    with open(responses, encoding="utf-8") as file:
        for line in file:
            saved = json.loads(line)
            if saved.get("case") in qrels:
                chunks = saved["bodies"]["answer"]["chunks"]
                run[saved["case"]] = {
                    chunk["id"]: -float(rank) for rank, chunk in enumerate(chunks)
                }
    results = pytrec_eval.RelevanceEvaluator(qrels, MEASURES).evaluate(run)
    names = next(iter(results.values()))
    print({name: sum(one[name] for one in results.values()) / len(results) for name in names})


if __name__ == "__main__":
    main(*sys.argv[1:])
