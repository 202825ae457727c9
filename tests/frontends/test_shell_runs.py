"""What comes of the options that shell scripts give to scripts of the project."""

from __future__ import annotations

from pathlib import Path

import pytest

from dlint.engine.suppress import parted
from dlint.findings.edits import apply_edits
from dlint.suppression.add_ignores import add_ignores
from dlint.workspace.reading import Sources
from tests.ends import comes_to_an_end
from tests.frontends.made import RULES, check, written

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


def _found(folder: Path, script: str, default: str = "4") -> set[tuple[str, str, str]]:
    files = {"train.py": TRAIN.replace("DEFAULT", default), "run.sh": script}
    written(folder, files)
    return {(Path(d.place.path).name, str(d.severity), d.name) for d in check(folder)}


ZERO = ("run.sh", "info", "zero-workers")
REFUSED = ("train.py", "error", "invalid-loader-arguments")


def test_a_zero_is_told_where_it_stands(tmp_path: Path) -> None:
    assert _found(tmp_path, "python train.py -j 0") == {ZERO}
    (found,) = check(tmp_path)
    assert (found.place.start, found.place.end) == (19, 20)
    assert [related.place.path for related in found.related] == [str(tmp_path / "train.py")]


def test_what_stands_behind_an_option_is_its_value(tmp_path: Path) -> None:
    assert _found(tmp_path, "python train.py -j 0 --name $X") == {ZERO}
    assert _found(tmp_path, "python train.py -j 0 --other $X") == set()


def test_several_workers_make_a_default_of_zero_uncertain(tmp_path: Path) -> None:
    assert _found(tmp_path, "python train.py --name a", "0") == {("train.py", "info", ZERO[2])}
    assert _found(tmp_path, "python train.py -j 8", "0") == set()
    assert _found(tmp_path, "python train.py --num-workers=$N", "0") == set()


def test_what_one_run_says_together_is_judged_together(tmp_path: Path) -> None:
    script = "python train.py -j 0 --persistent"
    assert _found(tmp_path, script) == {ZERO, REFUSED}
    (error,) = (d for d in check(tmp_path) if d.name == REFUSED[2])
    assert "by the value of `--num-workers` in run.sh" in error.message
    assert {related.place.path for related in error.related} == {str(tmp_path / "run.sh")}
    apart = "python train.py -j 0\npython train.py -j 2 --persistent"
    assert _found(tmp_path, apart) == {ZERO}


@pytest.mark.parametrize("behind", ["", " data", " $DATA/a", ' "$DATA"'])
def test_a_flag_takes_no_word(tmp_path: Path, behind: str) -> None:
    assert _found(tmp_path, f"python train.py -j 0 --persistent{behind}") == {ZERO, REFUSED}
    (error,) = (d for d in check(tmp_path) if d.name == REFUSED[2])
    assert {(r.place.start, r.place.end) for r in error.related} == {(19, 20), (21, 33)}


def test_each_row_is_named(tmp_path: Path) -> None:
    script = "python train.py -j 0\npython train.py -j 0 --persistent"
    assert _found(tmp_path, script) == {ZERO, REFUSED}
    (error,) = (d for d in check(tmp_path) if d.name == REFUSED[2])
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
    assert check(tmp_path) == []
    written(tmp_path, {"run/run.sh": "python train.py -j 0"})
    assert check(tmp_path) == []
    (tmp_path / "b" / "train.py").unlink()
    assert [d.name for d in check(tmp_path)] == ["zero-workers"]


def test_a_script_for_debugging_may_have_none(tmp_path: Path) -> None:
    written(tmp_path, {"train.py": TRAIN.replace("DEFAULT", "4")})
    written(tmp_path, {"debug_one.sh": "python train.py -j 0"})
    assert check(tmp_path) == []


def test_a_comment_suppresses_a_finding(tmp_path: Path) -> None:
    def shown(script: str) -> list[str]:
        assert _found(tmp_path, script) >= {ZERO}
        path = str(tmp_path / "run.sh")
        found = [d for d in check(tmp_path) if d.place.path == path]
        return [d.name for d in parted(found, [path], lambda _: RULES, Sources()).kept]

    comment = "# dlint: ignore[zero-workers] small data"
    assert shown(f"python train.py -j 0  {comment}") == []
    assert shown(f"{comment}\npython train.py \\\n    --name a \\\n    -j 0") == []
    assert shown(f"{comment}\npython other.py\npython train.py -j 0") != []
    assert "unused-suppression" in shown(f"{comment}\npython other.py\npython train.py -j 0")


def test_adopting_writes_no_comment_into_a_continued_row(tmp_path: Path) -> None:
    assert _found(tmp_path, "ls\npython train.py \\\n    -j 0 \\\n    --name a\n") == {ZERO}
    source = Sources().get(str(tmp_path / "run.sh"))
    added = add_ignores(source, check(tmp_path), "why")
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


# -- which parser is given the words

ALL = "python train.py -j 0 --persistent"


def _names(folder: Path, train: str, script: str = ALL, **more: str) -> set[tuple[str, str]]:
    files = {f"{name}.py": text for name, text in more.items()}
    written(folder, {"train.py": train.replace("DEFAULT", "4"), "run.sh": script, **files})
    return {(Path(d.place.path).name, d.name) for d in check(folder)}


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
    with comes_to_an_end():
        assert _names(tmp_path, TRAIN) == set()


def test_a_script_in_another_encoding_is_passed_over(tmp_path: Path) -> None:
    written(tmp_path, {"train.py": TRAIN.replace("DEFAULT", "4")})
    (tmp_path / "run.sh").write_bytes("# café\npython train.py -j 0\n".encode("latin-1"))
    assert check(tmp_path) == []


@pytest.mark.parametrize("behind", [' > "a\nb"', " \\\n# tail"])
def test_adopting_finds_a_place_for_a_row_that_goes_on(tmp_path: Path, behind: str) -> None:
    script = f"python train.py -j 0{behind}\n"
    assert _found(tmp_path, script) == {ZERO}
    source = Sources().get(str(tmp_path / "run.sh"))
    added = add_ignores(source, check(tmp_path), "why")
    comment = "# dlint: ignore[zero-workers] why\n"
    assert apply_edits(source.text, added.edits) == comment + script


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
    (error,) = (d for d in check(tmp_path) if d.name == REFUSED[2])
    assert "in run.sh" in error.message
