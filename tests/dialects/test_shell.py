"""Shell scripts that start a script of the project, and the options that they give it."""

from __future__ import annotations

import shlex
from pathlib import Path
from textwrap import dedent

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dlint import catalogue, scan
from dlint.add_ignores import add_ignores
from dlint.diagnostic import Applicability, Diagnostic
from dlint.dialects.shell import started
from dlint.dialects.shell_words import Letters, ShellError, Word, read
from dlint.engine import analyse
from dlint.fixes.apply import mend
from dlint.fixes.edits import apply_edits
from dlint.fixes.operations import ReplaceExpression, SetKey
from dlint.fixes.shell_values import lower_shell
from dlint.places import Place
from dlint.request import Request
from dlint.source import Source, Sources
from dlint.suppress import suppress
from tests.dialects.made import written

RULES = frozenset(catalogue.summaries())
TRAIN = """
    import argparse
    from PIL import Image
    from torch.utils.data import DataLoader, Dataset

    class Images(Dataset):
        def __init__(self, paths):
            self.paths = paths
        def __len__(self):
            return len(self.paths)
        def __getitem__(self, index):
            return self.convert(Image.open(self.paths[index]))

    def main(paths):
        parser = argparse.ArgumentParser()
        parser.add_argument("-j", "--num-workers", type=int, default=DEFAULT)
        parser.add_argument("--persistent", action="store_true")
        parser.add_argument("--keep", action=argparse.BooleanOptionalAction, default=True)
        parser.add_argument("--name")
        args = parser.parse_args()
        loader = DataLoader(
            Images(paths), 64, num_workers=args.num_workers, persistent_workers=args.persistent
        )
        for batch in loader:
            print(batch)

    if __name__ == "__main__":
        main([])
"""


def _given(command: str) -> list[tuple[str, list[str | None]]]:
    return [(one.name, [word.text for word in one.given]) for one in started(dedent(command))]


def _check(folder: Path, sources: Sources | None = None) -> list[Diagnostic]:
    files = tuple(sorted(p for p in folder.rglob("*") if p.is_file()))
    request = Request(folder, files, frozenset(map(str, files)), RULES)
    return analyse(request, sources or Sources()).diagnostics


def _found(folder: Path, script: str, default: str = "4") -> set[tuple[str, str, str]]:
    files = {"train.py": TRAIN.replace("DEFAULT", default), "run.sh": script}
    written(folder, files)
    return {(Path(d.place.path).name, str(d.severity), d.name) for d in _check(folder)}


STARTS = {
    "plain": ("python train.py -j 0", ["-j", "0"]),
    "its folder": ("python3.11 -u ./src/train.py -j 0", ["-j", "0"]),
    "by itself": ("./train.py -j 0", ["-j", "0"]),
    "variables before it": ("CUDA_VISIBLE_DEVICES=0 A='b c' python train.py -j 0", ["-j", "0"]),
    "rows": ("python \\\n  train.py \\\r\n -j \\\n 0", ["-j", "0"]),
    "quotes": ("python train.py '-j' \"0\" # more", ["-j", "0"]),
    "torchrun": ("torchrun --nproc_per_node 8 train.py -j 0", ["-j", "0"]),
    "accelerate": ("accelerate launch --config_file a.yaml train.py -j 0", ["-j", "0"]),
    "a launcher": ("python -m torch.distributed.launch --n=2 train.py -j 0", ["-j", "0"]),
    "a wrapper": ("nohup srun -n 1 python train.py -j 0 > log.txt 2>&1 &", ["-j", "0"]),
    "a pipe": ("python train.py -j 0 2>&1 | tee log.txt", ["-j", "0"]),
    "an interpreter": ('"$PYTHON" train.py -j 0', ["-j", "0"]),
    "a test": ("if [ $stage -le 1 ]; then\n  python train.py -j 0\nfi", ["-j", "0"]),
    "a variable": ("N=0\npython train.py -j $N", ["-j", "0"]),
    "an exported one": ('export N="0"\npython train.py -j ${N}', ["-j", "0"]),
    "several words": ("ARGS='-j 0'\npython train.py $ARGS", ["-j", "0"]),
    "several rows": ('N=0\nARGS="-j \\\n  ${N}"\npython train.py $ARGS', ["-j", "0"]),
    "an array": ("ARGS=(-j  # how many\n 0)\npython train.py ${ARGS[@]}", ["-j", "0"]),
    "a text": ('CMD="python train.py -j 0"\neval $CMD', ["-j", "0"]),
    "a text in quotes": ('CMD="python train.py -j 0"\neval "$CMD"', ["-j", "0"]),
    "an environment": ("N=0\nsource venv/bin/activate\npython train.py -j $N", ["-j", "0"]),
    "a heredoc before": ("cat <<EOF > a\nit's\nEOF\npython train.py -j 0", ["-j", "0"]),
    "a loop": ("for N in 0 1; do python train.py -j $N; done", ["-j", None]),
    "assigned twice": ("N=0\nN=4\npython train.py -j $N", ["-j", None]),
    "in a branch": ("if $A; then\nN=0\nfi\npython train.py -j $N", ["-j", None]),
    "in a case": ("case $1 in\na) N=0;;\nesac\npython train.py -j $N", ["-j", None]),
    "in a function": ("f() {\nN=0\n}\npython train.py -j $N", ["-j", None]),
    "read": ("N=0\nread N\npython train.py -j $N", ["-j", None]),
    "another script": ("N=0\n. ./other.sh\npython train.py -j $N", ["-j", None]),
    "an expansion": ("python train.py -j ${1:-0}", ["-j", None]),
    "a substitution": ("python train.py -j $(nproc --all)", ["-j", None]),
    "a backtick": ("python train.py -j `nproc`", ["-j", None]),
    "a part": ("python train.py --a=$X/b -j 0", [None, "-j", "0"]),
}


@pytest.mark.parametrize(("command", "words"), STARTS.values(), ids=STARTS)
def test_what_a_script_is_given(command: str, words: list[str | None]) -> None:
    ((name, found),) = _given(command)
    assert name.rpartition("/")[2] == "train.py"
    assert found == words


def test_modules_that_are_started() -> None:
    assert _given("python -m pkg.train -j 0") == [("pkg.train", ["-j", "0"])]
    assert _given("python -m torch.distributed.run -m pkg.train -j 0") == [
        ("pkg.train", ["-j", "0"])
    ]


@pytest.mark.parametrize(
    "command",
    [
        "echo python train.py -j 0",
        "cp train.py other.py",
        "python -c 'import train' train.py",
        "# python train.py -j 0",
        "cat <<EOF\npython train.py -j 0\nEOF",
        "python <Specify the script>",
        "python 'train.py",
        "python train.py $(",
        "black train.py",
    ],
)
def test_what_starts_nothing(command: str) -> None:
    assert _given(command) == []


def test_more_may_be_given() -> None:
    def is_open(command: str) -> bool:
        return started(command)[0].is_open

    assert is_open("python train.py $EXTRA")
    assert is_open("python train.py -j 0 $EXTRA")
    assert not is_open("python train.py --data $DATA")
    assert not is_open('python train.py "$DATA" "$@"')


@given(st.text(alphabet="ab$'\"\\`(){}<>|&;# \n=0-", max_size=40))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        tokens = read(text).tokens
    except ShellError:
        assert started(text) == []
        return
    for token in tokens:
        if isinstance(token, Word):
            for part in token.parts:
                if isinstance(part, Letters):
                    assert "".join(text[at] for at in part.at) == part.text
    started(text)


# -- what comes of it

ZERO = ("run.sh", "info", "zero-workers")
REFUSED = ("train.py", "error", "invalid-loader-arguments")


def test_a_zero_is_told_where_it_stands(tmp_path: Path) -> None:
    assert _found(tmp_path, "python train.py -j 0") == {ZERO}
    (found,) = _check(tmp_path)
    assert (found.place.start, found.place.end) == (19, 20)
    assert [related.place.path for related in found.related] == [str(tmp_path / "train.py")]


def test_several_workers_make_a_default_of_zero_uncertain(tmp_path: Path) -> None:
    assert _found(tmp_path, "python train.py --name a", "0") == {("train.py", "info", ZERO[2])}
    assert _found(tmp_path, "python train.py -j 8", "0") == set()
    assert _found(tmp_path, "python train.py --num-workers=$N", "0") == set()


def test_what_one_run_says_together_is_judged_together(tmp_path: Path) -> None:
    script = "python train.py -j 0 --persistent"
    assert _found(tmp_path, script) == {ZERO, REFUSED}
    (error,) = (d for d in _check(tmp_path) if d.name == REFUSED[2])
    assert "by the value of `--num-workers` in run.sh" in error.message
    assert {related.place.path for related in error.related} == {str(tmp_path / "run.sh")}
    apart = "python train.py -j 0\npython train.py -j 2 --persistent"
    assert _found(tmp_path, apart) == {ZERO}


@pytest.mark.parametrize("behind", ["", ' "$@"', " data", " $DATA", ' "$DATA"'])
def test_a_flag_takes_no_word(tmp_path: Path, behind: str) -> None:
    assert _found(tmp_path, f"python train.py -j 0 --persistent{behind}") == {ZERO, REFUSED}
    (error,) = (d for d in _check(tmp_path) if d.name == REFUSED[2])
    assert {(r.place.start, r.place.end) for r in error.related} == {(19, 20), (21, 33)}


def test_each_row_is_named(tmp_path: Path) -> None:
    script = "python train.py -j 0\npython train.py -j 0 --persistent"
    assert _found(tmp_path, script) == {ZERO, REFUSED}
    (error,) = (d for d in _check(tmp_path) if d.name == REFUSED[2])
    assert "in run.sh, row 2" in error.message


@pytest.mark.parametrize(
    "script",
    [
        "python other.py -j 0 --persistent",
        "python train.py -j 0 --persistent --name $X $MORE -j $Y",
        "python train.py -j '' --persistent",
    ],
)
def test_what_is_not_known_is_silent(tmp_path: Path, script: str) -> None:
    assert _found(tmp_path, script) == set()


def test_one_name_in_two_folders_is_not_known(tmp_path: Path) -> None:
    written(tmp_path, {"a/train.py": TRAIN.replace("DEFAULT", "4"), "b/train.py": "import a"})
    written(tmp_path, {"run/run.sh": "cd $1\npython train.py -j 0"})
    assert _check(tmp_path) == []
    (tmp_path / "b" / "train.py").unlink()
    assert [d.name for d in _check(tmp_path)] == ["zero-workers"]


def test_a_script_for_debugging_may_have_none(tmp_path: Path) -> None:
    written(tmp_path, {"train.py": TRAIN.replace("DEFAULT", "4")})
    written(tmp_path, {"debug_one.sh": "python train.py -j 0"})
    assert _check(tmp_path) == []


def test_a_comment_suppresses_a_finding(tmp_path: Path) -> None:
    def shown(script: str) -> list[str]:
        assert _found(tmp_path, script) >= {ZERO}
        path = str(tmp_path / "run.sh")
        found = [d for d in _check(tmp_path) if d.place.path == path]
        return [d.name for d in suppress(found, [path], lambda _: RULES, Sources())]

    comment = "# dlint: ignore[zero-workers] small data"
    assert shown(f"python train.py -j 0  {comment}") == []
    assert shown(f"{comment}\npython train.py \\\n    --name a \\\n    -j 0") == []
    assert shown(f"{comment}\npython other.py\npython train.py -j 0") != []
    assert "unused-suppression" in shown(f"{comment}\npython other.py\npython train.py -j 0")


def test_adopting_writes_no_comment_into_a_continued_row(tmp_path: Path) -> None:
    assert _found(tmp_path, "ls\npython train.py \\\n    -j 0 \\\n    --name a\n") == {ZERO}
    source = Sources().get(str(tmp_path / "run.sh"))
    added = add_ignores(source, _check(tmp_path), "why")
    assert apply_edits(source.text, added.edits) == (
        "ls\n# dlint: ignore[zero-workers] why\npython train.py \\\n    -j 0 \\\n    --name a\n"
    )


# -- CPUs

SLURM = "#!/bin/bash\n#SBATCH --nodes=1\n#SBATCH --gpus-per-node=8 --cpus-per-task={0}\n{1}\n"
TOO_MANY = ("run.sh", "warning", "workers-beyond-cpus")


@pytest.mark.parametrize(
    ("cpus", "command", "is_short"),
    [
        (4, "srun python train.py -j 8", True),
        (8, "srun python train.py -j 8", False),
        (32, "torchrun --nproc_per_node 8 train.py -j 8", True),
        (64, "torchrun --nproc_per_node=8 train.py -j 8", False),
        (8, "torchrun --nproc_per_node gpu train.py -j 8", False),
        (2, "srun python train.py", False),
        (2, "srun python train.py -j $N", False),
        (2, "#SBATCH --cpus-per-task=16\nsrun python train.py -j 8", False),
    ],
)
def test_more_workers_than_the_cpus_that_slurm_gives(
    tmp_path: Path, cpus: int, command: str, is_short: bool
) -> None:
    found = _found(tmp_path, SLURM.format(cpus, command))
    assert found == ({TOO_MANY} if is_short else set())


# -- TrainingArguments

TRAINER = """
    from transformers import HfArgumentParser, Trainer, TrainingArguments

    parser = HfArgumentParser((TrainingArguments,))
    (arguments,) = parser.parse_args_into_dataclasses()
    Trainer(args=arguments).train()
"""
RUN = "torchrun run.py --output_dir out --max_steps 5 {0} --bf16 True  # keep\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "--dataloader_num_workers 0 --dataloader_persistent_workers True",
            "--dataloader_num_workers 0 --dataloader_persistent_workers False",
        ),
        (
            '--dataloader_num_workers=0 --dataloader_persistent_workers="true"',
            '--dataloader_num_workers=0 --dataloader_persistent_workers="false"',
        ),
    ],
)
def test_a_fix_changes_one_word(tmp_path: Path, before: str, after: str) -> None:
    written(tmp_path, {"run.py": TRAINER, "run.sh": RUN.format(before)})
    mended = mend(lambda s: _check(tmp_path, s), Sources(), frozenset({Applicability.SAFE}))
    assert mended.texts == {str(tmp_path / "run.sh"): RUN.format(after)}


def test_a_flag_alone_is_left_to_the_user(tmp_path: Path) -> None:
    flags = "--dataloader_num_workers 0 --dataloader_persistent_workers"
    written(tmp_path, {"run.py": TRAINER, "run.sh": RUN.format(flags)})
    assert "invalid-loader-arguments" in {d.name for d in _check(tmp_path)}
    mended = mend(lambda s: _check(tmp_path, s), Sources(), frozenset({Applicability.SAFE}))
    assert mended.texts == {}


def test_the_script_must_read_a_trainers_arguments(tmp_path: Path) -> None:
    flags = "--dataloader_num_workers 0 --dataloader_persistent_workers True"
    written(tmp_path, {"run.py": "import argparse, torch\n", "run.sh": RUN.format(flags)})
    assert _check(tmp_path) == []


def test_only_numbers_and_truth_values_are_written() -> None:
    source = Source("/a.sh", "python a.py -j 0 --b true --c $X --d 'a b'\n")

    def edited(old: str, text: str) -> list[str] | None:
        start = source.text.index(old)
        place = Place("/a.sh", start, start + len(old))
        edits = lower_shell(source, [ReplaceExpression(place, text)])
        return None if edits is None else [edit.text for edit in edits]

    assert edited("0", "4") == ["4"]
    assert edited("true", "False") == ["false"]
    assert edited("0", "None") is None
    assert edited("--b", "False") is None
    assert edited("$X", "3") is None
    assert lower_shell(source, [SetKey(Place("/a.sh", 0, 1), "a", "0")]) is None


WORDS = st.text(alphabet="ab=/-\"' $\\", min_size=1, max_size=8).map(shlex.quote)


@given(st.lists(WORDS, max_size=4), st.lists(WORDS, max_size=4), st.integers(0, 99))
def test_an_edit_changes_the_named_value_alone(
    before: list[str], after: list[str], number: int
) -> None:
    text = f"python a.py {' '.join(before)} \\\n  --workers={number} {' '.join(after)}  # end\n"
    (one,) = started(text)
    found = one.value(frozenset({"--workers"}))
    span = None if found is None or found[1] is None else found[1].span()
    assert span is not None
    source = Source("/a.sh", text)
    (edit,) = lower_shell(source, [ReplaceExpression(Place("/a.sh", *span), "123")]) or ()
    (changed,) = started(apply_edits(text, [edit]))
    words = [word.text for word in one.given]
    words[words.index(f"--workers={number}")] = "--workers=123"
    assert [word.text for word in changed.given] == words
    assert apply_edits(text, [edit]).replace("=123 ", f"={number} ") == text


@pytest.mark.parametrize(
    ("text", "is_seed"),
    [
        (b"python train.py --num_workers 0", True),
        (b"ARGS='--dataloader-pin-memory False'\npython -m pkg.train $ARGS", True),
        (b"python main.py -j 8", True),
        (b"python train.py --lr 0.1", False),
        (b"ray start --num-workers 8", False),
    ],
)
def test_which_scripts_are_read(text: bytes, is_seed: bool) -> None:
    assert scan.is_shell_seed(text) is is_seed


def test_a_parser_in_another_module_of_the_script(tmp_path: Path) -> None:
    options = TRAIN.replace("DEFAULT", "4")
    written(tmp_path, {"main.py": options.replace("    if __name__", "    if not __name__")})
    files = {
        "train.py": "# é\nimport main\n\nmain.main([])\n",
        "other.py": "# main\nimport sys\n",
        "run.sh": "python train.py -j 0 --persistent\n",
        "more.sh": "python other.py -j 0 --persistent\n",
    }
    written(tmp_path, files)
    (error,) = (d for d in _check(tmp_path) if d.name == REFUSED[2])
    assert "in run.sh" in error.message
