"""A model for the scripted server that writes honest questions, whatever it is asked to do.

Its questions are about the first sentence of a passage, its answers the end of that sentence.
"""

import re
from typing import Any


def answer(prompt: str, count: int) -> dict[str, Any]:
    """What it says to a prompt."""
    return {"json": _reply(prompt)}


def _reply(prompt: str) -> Any:
    if '"answered"' in prompt:
        return {"answered": False, "passage": None, "quote": None}
    if '"verdict"' in prompt:
        return {"answers": []}
    [passage, *_] = re.findall(r"<passage-\w+>\n(.*?)\n</passage-\w+>", prompt, re.DOTALL)
    sentence = re.split(r"(?<=[.!?])\s", passage.strip())[0]
    words = re.findall(r"\w+", sentence)
    if '"answerable"' in prompt:
        known = " ".join(words[-2:])
        return {"answerable": True, "correct": True, "needed": True, "answer": known}
    if "does not know" in prompt:
        return {"questions": [{"question": f"Who invented {' '.join(words[:4])} in 1871?"}]}
    question = f"How does it go on: {' '.join(words[:-2])}?"
    reply = {"question": question, "answer": " ".join(words[-2:]), "quote": sentence}
    return {"questions": [reply]}
