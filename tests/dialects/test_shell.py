"""Shell scripts that start a script of the project, and the options that they give it."""

from __future__ import annotations

import shlex
import time
from contextlib import suppress as suppressed
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
    "several words": ("ARGS='-j 0'\npython train.py $ARGS", [None]),
    "an array": ("ARGS=(-j  # how many\n 0)\npython train.py ${ARGS[@]}", [None]),
    "an environment": ("N=0\nsource venv/bin/activate\npython train.py -j $N", ["-j", None]),
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
    "assigned later": ("python train.py -j $N\nN=0", ["-j", None]),
    "behind a test": ('[ -n "$X" ] && N=0\npython train.py -j $N', ["-j", None]),
    "before a test": ("N=0 || true\npython train.py -j $N", ["-j", None]),
    "in a pipe": ("N=0 | cat\npython train.py -j $N", ["-j", None]),
    "in a job": ("N=0 &\npython train.py -j $N", ["-j", None]),
    "for one command": ("N=0 python train.py -j $N", ["-j", None]),
    "in a named function": ("function f {\nN=0\n}\npython train.py -j $N", ["-j", None]),
    "in brackets": ("(\nN=0\n)\npython train.py -j $N", ["-j", None]),
    "behind an exit": ("exit 0\nN=0\npython train.py -j $N", ["-j", None]),
    "read behind a variable": ("N=0; IFS=, read -r N M < a\npython train.py -j $N", ["-j", None]),
    "read under a name": ('N=0\nread "$X"\npython train.py -j $N', ["-j", None]),
    "printed": ("N=0; printf -v N %d 4\npython train.py -j $N", ["-j", None]),
    "counted": ("N=0; ((N++))\npython train.py -j $N", ["-j", None]),
    "added to": ("N=0; ((N += 4))\npython train.py -j $N", ["-j", None]),
    "in arithmetic": ("N=0; echo $((N += 4))\npython train.py -j $N", ["-j", None]),
    "exported again": ('N=0; export "N=4"\npython train.py -j $N', ["-j", None]),
    "exported by a name": ('N=0; export "$X=4"\npython train.py -j $N', ["-j", None]),
    "a default": ("N=0; : ${N:=4}\npython train.py -j $N", ["-j", None]),
    "evaluated": ('N=0; eval "$X"\npython train.py -j $N', ["-j", None]),
    "a name like a flag": ("j=0\npython train.py --j $j", ["--j", "0"]),
    "one by another": ("M=0\nN=$M\npython train.py -j $N", ["-j", None]),
    "by itself again": ("N=$N$N\npython train.py -j $N", ["-j", None]),
    "a Unicode blank": ("echo 你\u3000好\npython train.py -j 0", ["-j", "0"]),
    "a here-string": ('cat <<< "x y"\npython train.py -j 0', ["-j", "0"]),
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
        "which python train.py",
        "pgrep -f python train.py",
        "python $ROOT/tools/run.py configs/model.py",
        "python tools/launch train.py",
        'eval "python train.py -j 0"',
        "python train.py -j 0\n" * 300,
        "# " + "a" * 100_000 + "\npython train.py -j 0",
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


CERTAIN = (
    "python train.py -j 0",
    "A=1 nohup srun -n 1 python -u train.py -j 0 > log.txt 2>&1 &",
    "export A=1; python train.py -j 0 | tee log.txt",
    'torchrun --nproc_per_node 8 train.py --data "$1" --out out/$NAME --name=$X -j 0',
    "python train.py -j 0 && echo done",
    "source env.sh\npython train.py -j 0",
)
UNCERTAIN = (
    "python train.py -j 0 $EXTRA",
    'python train.py -j 0 "$@"',
    'python train.py -j 0 "${ARGS[@]}"',
    "python train.py $(cat args) -j 0",
    "python train.py --$X 0 -j 0",
    "python train.py --data $DATA -j 0",
    "python train.py -- -j 0",
    "torchrun $ARGS train.py -j 0",
    '"$PYTHON" train.py -j 0',
    "docker run image python train.py -j 0",
    "nohup ssh host python train.py -j 0",
    "cd debug; python train.py -j 0",
    "a && python train.py -j 0",
    "a ||\n  python train.py -j 0",
    "a | python train.py -j 0",
    "exit 0\npython train.py -j 0",
    "if false; then\npython train.py -j 0\nfi",
    "if false; then\na\nfi\npython train.py -j 0",
    "while a; do python train.py -j 0; done",
    "(python train.py -j 0)",
    "f() {\npython train.py -j 0\n}",
    "function f {\npython train.py -j 0\n}",
    "case $1 in\na) python train.py -j 0;;\nesac",
)


@pytest.mark.parametrize("command", CERTAIN)
def test_what_is_run_for_certain(command: str) -> None:
    assert [one.is_certain for one in started(command)] == [True]


@pytest.mark.parametrize("command", UNCERTAIN)
def test_what_may_be_run_or_be_given_more(command: str) -> None:
    assert [one.is_certain for one in started(command)] == [False]


@pytest.mark.parametrize(
    "text",
    [
        'X="' + "a" * 90_000 + '"',
        'X="' + '\\"' * 40_000 + '"',
        "$(" * 40_000,
        "a=(" * 30_000,
        '"$(' * 30_000,
        "< " * 40_000,
        "<<a " * 20_000,
        "${a" * 30_000,
        "$a" * 40_000,
        "0" * 90_000 + ">",
        "N=0\n" * 20_000,
        "python train.py $A " * 4_000,
        "A=1\n" + "python train.py " + "$A" * 30_000,
    ],
    ids=lambda text: text[:12],
)
def test_a_long_text_takes_no_long_time(text: str) -> None:
    begun = time.process_time()
    with suppressed(ShellError):
        read(text)
    started(text)
    assert time.process_time() - begun < 2


TEXTS = st.text(alphabet="ab$'\"\\`(){}<>|&;# \n=0-", max_size=40)


@given(TEXTS | st.text(max_size=40) | st.text(alphabet="\u3000\f\v\x85\r\0 \n'\"<(a", max_size=20))
def test_any_text_is_read_or_refused(text: str) -> None:
    """Nothing else is raised than ShellError."""
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


@pytest.mark.parametrize("behind", ["", " data", " $DATA/a", ' "$DATA"'])
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
        "python train.py -j 0 --persistent $MORE",
        'python train.py -j 0 --persistent "$@"',
        "python train.py -j0 --persistent",
        "python train.py -j 0 --persistent --num-w 4",
        "python train.py -j " + "1" * 5_000,
        "for A in 1 2; do python train.py -j 0 --persistent; done",
        "cd ..\npython train.py -j 0 --persistent",
    ],
)
def test_what_is_not_known_is_silent(tmp_path: Path, script: str) -> None:
    assert _found(tmp_path, script) == set()


def test_one_name_in_two_folders_is_not_known(tmp_path: Path) -> None:
    written(tmp_path, {"a/train.py": TRAIN.replace("DEFAULT", "4"), "b/train.py": "import a"})
    written(tmp_path, {"run/run.sh": "cd $1\npython train.py -j 0"})
    assert _check(tmp_path) == []
    written(tmp_path, {"run/run.sh": "python train.py -j 0"})
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
        (2, "srun -c 16 python train.py -j 8", False),
        (2, "srun --cpus-per-task=16 python train.py -j 8", False),
        (8, "accelerate launch --num_machines 4 --num_processes 16 train.py -j 8", False),
        ("9" * 5_000, "srun python train.py -j 8", False),
        (2, f"torchrun --nproc_per_node {'9' * 5_000} train.py -j 8", False),
    ],
)
def test_more_workers_than_the_cpus_that_slurm_gives(
    tmp_path: Path, cpus: int | str, command: str, is_short: bool
) -> None:
    found = _found(tmp_path, SLURM.format(cpus, command))
    assert found == ({TOO_MANY} if is_short else set())


def test_what_slurm_is_told_elsewhere_does_not_count(tmp_path: Path) -> None:
    script = "cat > a.sh <<EOF\n#SBATCH --cpus-per-task=2\nEOF\npython train.py -j 8"
    assert _found(tmp_path, script) == set()


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


@pytest.mark.parametrize(
    "script",
    [
        "YES=True\nN=0\n{0}--fp16 $YES {1} 0 {2} $YES",
        "YES=True\nN=0\n{0}{1}=$N {2} ${{YES}}",
        'YES=True\n{0}{1} 0 {2}="$YES"',
    ],
)
def test_a_fix_leaves_variables_alone(tmp_path: Path, script: str) -> None:
    start = "python run.py --output_dir out --max_steps 5 "
    flags = "--dataloader_num_workers", "--dataloader_persistent_workers"
    written(tmp_path, {"run.py": TRAINER, "run.sh": script.format(start, *flags)})
    assert "invalid-loader-arguments" in {d.name for d in _check(tmp_path)}
    every = frozenset({Applicability.SAFE, Applicability.UNSAFE})
    assert mend(lambda s: _check(tmp_path, s), Sources(), every).texts == {}


@pytest.mark.parametrize("behind", ["$EXTRA", '"$@"', "$(cat more)"])
def test_a_trainer_that_is_given_more_is_not_known(tmp_path: Path, behind: str) -> None:
    flags = f"--dataloader_num_workers 0 --dataloader_persistent_workers True {behind}"
    written(tmp_path, {"run.py": TRAINER, "run.sh": RUN.format(flags)})
    assert _check(tmp_path) == []


def test_what_a_variable_started_is_not_known(tmp_path: Path) -> None:
    script = (
        'CMD="python run.py --output_dir out --max_steps 5"\n'
        "$CMD --dataloader_num_workers 4 --dataloader_persistent_workers True\n"
        "$CMD --dataloader_num_workers 0 --dataloader_persistent_workers True\n"
    )
    written(tmp_path, {"run.py": TRAINER, "run.sh": script})
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
    span = None if found is None or found[1] is None else found[1].span
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


# -- which parser is given the words

ALL = "python train.py -j 0 --persistent"


def _names(folder: Path, train: str, script: str = ALL, **more: str) -> set[tuple[str, str]]:
    files = {f"{name}.py": text for name, text in more.items()}
    written(folder, {"train.py": train.replace("DEFAULT", "4"), "run.sh": script, **files})
    return {(Path(d.place.path).name, d.name) for d in _check(folder)}


@pytest.mark.parametrize(
    "stored",
    [
        "args.num_workers = max(args.num_workers, 2)",
        "args.num_workers = args.num_workers // 4",
        "args.num_workers //= 4",
    ],
)
def test_an_option_that_is_stored_to_is_not_known(tmp_path: Path, stored: str) -> None:
    train = TRAIN.replace("        loader =", f"        {stored}\n        loader =")
    assert _names(tmp_path, train) == set()
    script = SLURM.format(2, "python train.py -j 32")
    assert _names(tmp_path, train, script) == set()


def test_an_option_that_an_object_keeps_is_known(tmp_path: Path) -> None:
    kept = "class A:\n        def __init__(self, n):\n            self.num_workers = n"
    train = TRAIN.replace("    def main", f"    {kept}\n\n    def main")
    assert ("run.sh", "zero-workers") in _names(tmp_path, train)


@pytest.mark.parametrize("given", ["[]", "['-j', '4']", "sys.argv[1:]", "argv"])
def test_a_parser_that_is_given_words(tmp_path: Path, given: str) -> None:
    train = TRAIN.replace("parse_args()", f"parse_args({given})")
    assert _names(tmp_path, train) == set()


@pytest.mark.parametrize("given", ["None", "args=argv", "argv"])
def test_a_parser_that_nobody_gives_words(tmp_path: Path, given: str) -> None:
    train = TRAIN.replace("parse_args()", f"parse_args({given})")
    train = train.replace("main(paths)", "main(paths, argv=None)")
    assert {("run.sh", ZERO[2]), ("train.py", REFUSED[2])} <= _names(tmp_path, train)


def test_subcommands_are_not_known(tmp_path: Path) -> None:
    made = "parser.add_subparsers().add_parser('a').add_argument"
    train = TRAIN.replace('parser.add_argument("-j"', f'{made}("-j"')
    assert _names(tmp_path, train, "python train.py a -j 0 --persistent") == set()


PARSING = "import argparse\nfrom train import Images\nargparse.ArgumentParser().parse_args()\n"


@pytest.mark.parametrize(
    "text",
    [
        PARSING,
        "import click\nfrom train import Images\n",
        "import train\nimport options\nif __name__ == '__main__':\n    train.main([])\n",
    ],
)
def test_a_script_that_parses_by_itself(tmp_path: Path, text: str) -> None:
    script = ALL.replace("train.py", "other.py")
    options = "import argparse\nparser = argparse.ArgumentParser()\nimport torch\n"
    assert _names(tmp_path, TRAIN, script, other=text, options=options) == set()


@pytest.mark.parametrize("order", [("0", "4"), ("4", "0")])
def test_short_flags_tell_runs_apart(tmp_path: Path, order: tuple[str, str]) -> None:
    train = TRAIN.replace("args.persistent", "True").replace('"--num-workers"', '"-w", dest="w"')
    train = train.replace("args.num_workers", "args.w").replace("batch_size", "bs")
    train = train.replace('"-j", "-w"', '"-j", "--workers"')
    script = "".join(f"python train.py -j {number}\n" for number in order)
    assert ("run.sh", "zero-workers") in _names(tmp_path, train, script)


def test_many_runs_take_no_long_time(tmp_path: Path) -> None:
    runs = {
        f"run{i}.sh": "".join(f"python train.py -j {i} --shuffle_seed {j}\n" for j in range(150))
        for i in range(1, 11)
    }
    written(tmp_path, runs)
    begun = time.process_time()
    assert _names(tmp_path, TRAIN) == set()
    assert time.process_time() - begun < 5


def test_a_script_in_another_encoding_is_passed_over(tmp_path: Path) -> None:
    written(tmp_path, {"train.py": TRAIN.replace("DEFAULT", "4")})
    (tmp_path / "run.sh").write_bytes("# café\npython train.py -j 0\n".encode("latin-1"))
    assert _check(tmp_path) == []


@pytest.mark.parametrize("behind", [' > "a\nb"', " \\\n# tail"])
def test_adopting_finds_a_place_for_a_row_that_goes_on(tmp_path: Path, behind: str) -> None:
    script = f"python train.py -j 0{behind}\n"
    assert _found(tmp_path, script) == {ZERO}
    source = Sources().get(str(tmp_path / "run.sh"))
    added = add_ignores(source, _check(tmp_path), "why")
    comment = "# dlint: ignore[zero-workers] why\n"
    assert apply_edits(source.text, added.edits) == comment + script
