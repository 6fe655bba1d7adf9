"""The entry point of the image, as a process with the flags that the image starts it with."""

import json
import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from ragproof.version import __version__

ROOT = Path(__file__).parents[2]
TOKEN = "ghs_0123456789abcdefghijklmnopqrstuvwxyz"
KEY = "sk-0123456789abcdefghijklmnopqrstuvwxyz"
TRAP = "open({marker!r}, 'a').write(__name__)\nraise SystemExit('trapped')\n"


def flags() -> list[str]:
    """What the image gives to Python, in front of the script."""
    entry = re.search(r"^ENTRYPOINT (\[.*\])$", (ROOT / "Dockerfile").read_text("utf-8"), re.M)
    assert entry is not None, "the entry point is not in exec form"
    python, *between, script = json.loads(entry[1])
    assert Path(python).is_absolute()
    assert script == "/opt/ragproof/entrypoint.py"
    return list(between)


def command(*arguments: str, options: list[str] | None = None) -> list[str]:
    chosen = flags() if options is None else options
    return [sys.executable, *chosen, str(ROOT / "entrypoint.py"), *arguments]


def environment(**values: str) -> dict[str, str]:
    """A clean environment with these inputs; ``_`` in a name stands for a dash."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "HOME") if name in os.environ}
    return kept | {f"INPUT_{name.upper().replace('_', '-')}": text for name, text in values.items()}


def run(
    folder: Path, *arguments: str, env: dict[str, str], options: list[str] | None = None
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command(*arguments, options=options),
        cwd=folder,
        env=env,
        text=True,
        capture_output=True,
        timeout=60,
        check=False,
    )


def test_without_anything_it_helps(tmp_path: Path) -> None:
    done = run(tmp_path, env=environment())
    assert done.returncode == 0
    assert "Usage: ragproof" in done.stdout


def test_arguments_go_to_the_command_line_as_they_stand(tmp_path: Path) -> None:
    done = run(tmp_path, "--version", env=environment(mode="verify"))
    assert done.stdout.strip().endswith(__version__)


def test_arguments_keep_the_token_from_being_an_input(tmp_path: Path) -> None:
    done = run(tmp_path, "run", "--endpiont", "x", env=environment(github_token=TOKEN))
    assert done.returncode == 3
    assert TOKEN not in done.stdout + done.stderr


def test_inputs_become_options_of_the_action(tmp_path: Path) -> None:
    done = run(tmp_path, env=environment(config="nowhere.yml", dataset="", github_token=TOKEN))
    assert done.returncode == 3
    assert "nowhere.yml" in done.stdout + done.stderr


def test_the_token_alone_runs_the_action(tmp_path: Path) -> None:
    """A workflow that sets nothing runs with the defaults."""
    done = run(tmp_path, env=environment(config="", github_token=TOKEN))
    assert done.returncode == 3
    assert "ragproof.yml" in done.stdout + done.stderr


def test_the_key_of_the_model_goes_to_its_variable(tmp_path: Path) -> None:
    """A key that cannot be is named by its variable."""
    (tmp_path / "a.md").write_text("The rental fee of a kayak is twelve euros a day.\n")
    inputs = {"mode": "generate", "corpus": "a.md", "out": "x.jsonl", "propose": "false"}
    env = environment(**inputs, model="x", base_url="http://127.0.0.1:9", github_token=TOKEN)
    for key in ("a key", ""):
        done = run(tmp_path, env={**env, "INPUT_MODEL-KEY": key})
        assert done.returncode in (2, 3)
        assert ("RAGPROOF_GEN_API_KEY holds characters" in done.stdout + done.stderr) == bool(key)


@pytest.mark.parametrize(
    ("misspelt", "known"),
    [("endpiont", "--endpoint"), ("fail_onn", "--fail-on"), ("allowed_host", "--allowed-hosts")],
)
def test_a_misspelt_input_is_refused_with_the_nearest_known(
    misspelt: str, known: str, tmp_path: Path
) -> None:
    done = run(tmp_path, env=environment(**{misspelt: "x", "github_token": TOKEN}))
    assert done.returncode == 3
    assert known in done.stdout + done.stderr
    assert TOKEN not in done.stdout + done.stderr


@pytest.mark.parametrize("value", ["--version", "-h", "a=b", "x\n--mode=comment", "; exit 0", " "])
def test_no_value_becomes_an_option(value: str, tmp_path: Path) -> None:
    done = run(tmp_path, env=environment(config=value, github_token=TOKEN))
    assert done.returncode == 3
    assert __version__ not in done.stdout
    assert "Usage" not in done.stdout


@pytest.fixture
def silent() -> Iterator[str]:
    """The address of a server that takes connections and never says a word."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"http://127.0.0.1:{server.getsockname()[1]}/health"


@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="needs /proc")
def test_no_secret_is_in_arguments(silent: str, tmp_path: Path) -> None:
    (tmp_path / "ragproof.yml").write_text((ROOT / "src/ragproof/demo/ragproof.yml").read_text())
    frozen = "dataset.frozen.json"
    (tmp_path / frozen).write_text((ROOT / "src/ragproof/demo" / frozen).read_text("utf-8"))
    inputs = environment(github_token=TOKEN, model_key=KEY, wait_for=silent, comment="never")
    with subprocess.Popen(
        command(), cwd=tmp_path, env=inputs, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    ) as process:
        try:
            deadline = time.monotonic() + 1.5
            while process.poll() is None and time.monotonic() < deadline:
                arguments = Path(f"/proc/{process.pid}/cmdline").read_bytes()
                assert TOKEN.encode() not in arguments
                assert KEY.encode() not in arguments
            assert process.poll() is None, "it should still be waiting"
        finally:
            process.kill()


def trap(folder: Path) -> Path:
    """Fill a workspace with modules that give themselves away; return where they write."""
    marker = folder / "trapped"
    text = TRAP.format(marker=str(marker))
    names = ("ragproof", "json", "sitecustomize", "usercustomize", "click", "os", "signal", "yaml")
    for name in names:
        (folder / f"{name}.py").write_text(text)
    return marker


def hostile(folder: Path) -> dict[str, str]:
    return environment() | {
        "PYTHONPATH": str(folder),
        "PYTHONSTARTUP": str(folder / "json.py"),
        "PYTHONUSERBASE": str(folder),
        "PYTHONINSPECT": "1",
    }


def test_nothing_in_the_workspace_is_imported(tmp_path: Path) -> None:
    marker = trap(tmp_path)
    done = run(tmp_path, "--version", env=hostile(tmp_path))
    assert done.stdout.strip().endswith(__version__), done.stderr
    assert done.returncode == 0
    assert not marker.exists()


def test_the_traps_work(tmp_path: Path) -> None:
    """Without the image's flags the same workspace takes over: the test above can fail."""
    marker = trap(tmp_path)
    run(tmp_path, "--version", env=hostile(tmp_path), options=[])
    assert marker.exists()
