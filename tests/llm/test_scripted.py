"""The scripted server itself, as a program."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from prompting import ask, make_settings

from ragproof.llm.model import open_model

PROGRAM = Path(__file__).with_name("scripted.py")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("script.json", json.dumps({"model": "m", "steps": ["you said {prompt}"]})),
        (
            "script.py",
            "settings = {'model': 'm'}\nanswer = lambda prompt, count: 'you said ' + prompt",
        ),
    ],
)
def test_it_runs_as_a_program(tmp_path: Path, name: str, text: str) -> None:
    script = tmp_path / name
    script.write_text(text)
    command = [sys.executable, str(PROGRAM), "--port", "0", "--script", str(script)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            url = json.loads(server.stdout.readline())["url"]
            with open_model(make_settings(url, model="m")) as model:
                assert ask(model, "why?") == ["you said why?"]
        finally:
            server.terminate()
