"""What the probe records where a framework runs the loop; each needs that framework."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec

import pytest

from dlint.verify.measure.record import LoaderRecord
from dlint.verify.run.runner import RunConfig
from tests.verify.conftest import Batch

pytestmark = pytest.mark.slow

PROGRAMS = {
    "accelerate": """
from accelerate import Accelerator
from common import *
accelerator = Accelerator(cpu=True)
model, optimizer = make()
loader = DataLoader(Rows(), 32, shuffle=True)  # here
model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
for epoch in range(50):
    for x, y in loader:
        loss = torch.nn.functional.cross_entropy(model(x), y)
        optimizer.zero_grad()
        accelerator.backward(loss)
        optimizer.step()
""",
    "lightning": """
import lightning
from common import *
class Module(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 3)
    def training_step(self, batch, number):
        x, y = batch
        return torch.nn.functional.cross_entropy(self.layer(x), y)
    def validation_step(self, batch, number):
        self.layer(batch[0])
    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.01)
    def train_dataloader(self):
        return DataLoader(Rows(), 32, shuffle=True)  # here
    def val_dataloader(self):
        return DataLoader(Rows(64), 32)
trainer = lightning.Trainer(
    max_epochs=50, accelerator="cpu", logger=False, enable_checkpointing=False,
    enable_progress_bar=False, enable_model_summary=False,
)
trainer.fit(Module())
""",
    "transformers": """
from transformers import Trainer, TrainingArguments
from common import *
class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 3)
    def forward(self, x, labels=None):
        out = self.layer(x)
        return {"loss": torch.nn.functional.cross_entropy(out, labels), "logits": out}
class Named(Rows):
    def __getitem__(self, index):
        x, y = super().__getitem__(index)
        return {"x": x, "labels": y}
given = TrainingArguments(
    output_dir="out", num_train_epochs=50, per_device_train_batch_size=32, use_cpu=True,
    save_strategy="no", report_to=[], disable_tqdm=True,
)
trainer = Trainer(model=Model(), args=given, train_dataset=Named())
trainer.train()  # here
""",
    "torchdata": """
from torchdata.stateful_dataloader import StatefulDataLoader
from common import *
model, optimizer = make()
loader = StatefulDataLoader(Rows(), 32, shuffle=True, num_workers=1)  # here
for epoch in range(50):
    for x, y in loader:
        step(model, optimizer, x, y)
""",
}


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Batch]:
    """The runs of all that are installed."""
    installed = {name: text for name, text in PROGRAMS.items() if find_spec(name) is not None}
    setting = RunConfig(4, 20, look=True, limit=120)
    folder = tmp_path_factory.mktemp("frameworks")
    batch = Batch(folder, installed, setting=setting, fresh=True)
    yield batch
    batch.end()


@pytest.mark.parametrize("library", PROGRAMS)
def test_a_framework(runs: Batch, library: str) -> None:
    if find_spec(library) is None:
        pytest.skip(f"{library} is not installed")
    text = PROGRAMS[library]
    run, folder = runs.of(library)
    assert run.code == 0, run.stderr
    assert run.record is not None
    assert run.record.why == "window"
    assert run.record.window is not None
    assert run.record.window.steps == 20
    assert run.record.window.optimizer_steps == 20
    loader = run.training
    assert loader is not None
    row = text[: text.index("# here")].count("\n") + 1
    assert loader.site == (str((folder / "main.py").resolve()), row)
    _check_epochs(loader)


def _check_epochs(loader: LoaderRecord) -> None:
    assert (loader.length, loader.batch_size) == (10, 32)
    assert [e.batches for e in loader.epochs[:2]] == [10, 10]
    assert all(e.end is not None for e in loader.epochs[:2])
    first, second = ([i for batch in order for i in batch] for order in loader.order[:2])
    assert sorted(first) == sorted(second) == list(range(320))
    assert first != second
    assert len(loader.samples[0]) == 320
