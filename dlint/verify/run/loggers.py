"""Experiment loggers kept from talking to the world while a script is measured."""

from __future__ import annotations

OFFLINE = {
    "WANDB_MODE": "disabled",
    "WANDB_SILENT": "true",
    "CLEARML_OFFLINE_MODE": "1",
    "COMET_START_ONLINE": "0",
    "COMET_AUTO_LOG_DISABLE": "1",
    "NEPTUNE_MODE": "offline",
    "DLINT_BOARD": "1",
}
"""Environment variables; `DLINT_BOARD` makes the probe send TensorBoard's files to the scratch
folder, which no variable of TensorBoard's own can."""

NAMES = "W&B, MLflow, Comet, ClearML, Neptune and TensorBoard"


def environment(folder: str) -> dict[str, str]:
    """The variables for runs whose throw-away files go to `folder`."""
    return {
        **OFFLINE,
        "WANDB_DIR": folder,
        "MLFLOW_TRACKING_URI": f"file://{folder}/mlruns",
        "COMET_OFFLINE_DIRECTORY": folder,
        "NEPTUNE_DATA_DIRECTORY": f"{folder}/neptune",
        "NEPTUNE_LOG_DIRECTORY": f"{folder}/neptune",
    }
