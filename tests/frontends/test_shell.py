"""Shell scripts that start a script of the project, and the options that they give it."""

from __future__ import annotations

from contextlib import suppress as suppressed
from textwrap import dedent

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dlint.frontends.shell import started
from dlint.frontends.shell_words import Letters, ShellError, Word, read
from tests.ends import comes_to_an_end


def _given(command: str) -> list[tuple[str, list[str | None]]]:
    return [(one.name, [word.text for word in one.given]) for one in started(dedent(command))]


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
    "read in a test": ("N=0; if read N; then :; fi\npython train.py -j $N", ["-j", None]),
    "read in a loop": (
        "N=0; while IFS= read -r N; do :; done\npython train.py -j $N",
        ["-j", None],
    ),
    "a folder": ("N=0\ndocker build --tag a .\npython train.py -j $N", ["-j", "0"]),
    "words as names": ("N=0\necho please read source\npython train.py -j $N", ["-j", "0"]),
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
    with comes_to_an_end():
        with suppressed(ShellError):
            read(text)
        started(text)


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
