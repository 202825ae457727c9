"""What is not shown of commands, and of what scripts write."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from dlint.verify.judge.failures import failure_of
from dlint.verify.judge.results import Outcome
from dlint.verify.plan.secrecy import Secrets, looks_secret, shown
from dlint.verify.report import json as as_json
from dlint.verify.run.output import tail
from tests.verify.conftest import Launch

TOKEN = "hf_" + "QwErTyUiOpAsDfGhJkLz" + "XcVbNm1234"


def test_words_that_may_be_secret_are_not_shown(tmp_path: Path) -> None:
    words = ["--epochs", "3", "--lr=1e-3", "--wandb-api-key", "8271", "--data", "images", "secret"]
    words += ["model.name=resnet50", "--note", "psst", str(tmp_path), "--amp", "TOKEN=12", "-x"]
    assert shown(words) == [
        *("--epochs", "3", "--lr=1e-3", "--wandb-api-key", "…", "--data", "images", "…"),
        *("model.name=resnet50", "--note", "…", str(tmp_path), "--amp", "TOKEN=…", "-x"),
    ]
    outcome = Outcome("train.py", ["python", "train.py", "--password", "1234"])
    assert "1234" not in as_json.render(outcome)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("--model s3://AK:SECRET@host/weights.pt", "--model s3://…@host/weights.pt"),
        ("--model s3://AK:SEC/RET@host/weights.pt", "--model s3://…@host/weights.pt"),
        ("--dataset https://u:pw@h", "--dataset https://…@h"),
        ("--dataset=https://h/x?sig=abc&e=1", "--dataset=https://h/x?…"),
        ("--dataset https://h/x?sig=abc", "--dataset https://h/x?…"),
        ("--model hf://meta/llama", "--model hf://meta/llama"),
        ("https://u:pw@h/?a=b", "…"),
        (f"--model={TOKEN}", "--model=…"),
        (f"--data https://hooks.example.com/{TOKEN}", "--data …"),
        (f"{TOKEN}=", "…"),
        (f"-{TOKEN}", "…"),
        ("--data user:hunter2@db", "--data …"),
        ("--config {'token':'abc'}", "--config …"),
        ("model.hftoken=abc", "model.hftoken=…"),
        ("--model meta-llama/Llama-3.1-8B-Instruct", "--model meta-llama/Llama-3.1-8B-Instruct"),
        ("--arch vit_base_patch16_224.augreg_in21k", "--arch vit_base_patch16_224.augreg_in21k"),
        ("train.py -- --epochs 3", "train.py -- --epochs 3"),
    ],
)
def test_addresses_and_tokens_are_shown_without_what_opens_them(words: str, expected: str) -> None:
    assert " ".join(shown(words.split())) == expected


def test_what_is_not_shown_is_not_repeated_either() -> None:
    command = [
        sys.executable,
        "--model",
        "s3://AKID:SE%2FCRET@host/x?sig=abcdefgh",
        "--note",
        "psssst",
    ]
    command += ["--lr", "0.123456", "--name", "ab", "--opts", f"{{'key': '{TOKEN}'}}"]
    environment = {
        "HF_TOKEN": "tok-1234",
        "PGPASSWORD": "hunter-2",
        "PROXY": "http://me:opens-it@proxy:80",
        "LONG": TOKEN[::-1],
        "CUDA_VISIBLE_DEVICES": "GPU-8c187d8b-f0f1-1f3a-9b0e-1d2f3a4b5c6d",
        "USER": "somebody",
        "KEY_COUNT": "12345678",
        "API_KEY": "short",
    }
    secrets = Secrets(command, environment)
    for text in ("SE%2FCRET", "SE/CRET", "abcdefgh", "a psssst!", TOKEN, "tok-1234", "hunter-2"):
        masked = secrets.masked(f"E: {text} failed")
        assert text not in masked
        assert masked.startswith("E: ")
        assert masked.endswith(" failed")
    for text in ("opens-it", TOKEN[::-1]):
        assert text not in secrets.masked(f"E: {text}")
    assert secrets.masked("get https://other:one@h/x") == "get https://…@h/x"
    same = f"{sys.executable} ab 0.123456 /home/somebody/psssstx.py short 12345678 "
    same += environment["CUDA_VISIBLE_DEVICES"]
    assert secrets.masked(same) == same


def test_half_a_line_is_no_end_of_what_was_written(tmp_path: Path) -> None:
    path = tmp_path / "stderr"
    path.write_text("x" * 50 + TOKEN + "y" * 3980 + "\nlast\n")
    assert tail(path) == "last"
    path.write_text("first\nlast\n")
    assert tail(path) == "first\nlast"


def test_words_of_mixed_signs_look_secret() -> None:
    secret = ("AKIAIOSFODNN7EXAMPLE", "8c187d8b-f0f1-1f3a-9b0e-1d2f3a4b5c6d", "aBcDeFgHiJkLmNoPq")
    assert all(map(looks_secret, secret))
    names = ("facebook/wav2vec2-base-960h", "StableDiffusionPipeline", "bert-base-uncased")
    assert not any(map(looks_secret, names))


FAILING = """
import os
import sys

from common import *

print(sys.argv, file=sys.stderr)
raise ValueError(f"no access with {sys.argv[2]} and {os.environ['MY_SECRET']}")
"""


def test_a_traceback_holds_no_secret(launch: Launch, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_SECRET", "open sesame")
    run = launch({"main.py": FAILING}, "--hf-token", TOKEN)
    (record,) = run.records
    assert record.error is not None
    told = json.dumps([run.stderr, record.error.message, failure_of("it fails", run)])
    assert "ValueError" in told
    assert "no access with" in told
    assert TOKEN not in told
    assert "sesame" not in told
