"""Set up the Hugging Face libraries so that they use no network and start no thread.

Their files go to the home folder, the only one that can be written to.
"""

import importlib
import os
from pathlib import Path
from typing import Any

OFFLINE = {
    **dict.fromkeys(("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE", "HF_DATASETS_OFFLINE"), "1"),
    **dict.fromkeys(("HF_EVALUATE_OFFLINE", "HF_HUB_DISABLE_TELEMETRY", "DO_NOT_TRACK"), "1"),
    **dict.fromkeys(("HF_HUB_DISABLE_PROGRESS_BARS", "HF_HUB_DISABLE_IMPLICIT_TOKEN"), "1"),
    **dict.fromkeys(("DISABLE_SAFETENSORS_CONVERSION", "HF_DEACTIVATE_ASYNC_LOAD"), "1"),
    **{"TOKENIZERS_PARALLELISM": "false", "TRANSFORMERS_VERBOSITY": "error"},
    **{"HF_DATASETS_DISABLE_PROGRESS_BARS": "1", "HF_UPDATE_DOWNLOAD_COUNTS": "0"},
}
# Folders of the libraries' `config`, below the one for all of Hugging Face.
FOLDERS = {
    "datasets": {
        "HF_DATASETS_CACHE": "datasets",
        "HF_MODULES_CACHE": "modules",
        "DOWNLOADED_DATASETS_PATH": "datasets/downloads",
        "EXTRACTED_DATASETS_PATH": "datasets/downloads/extracted",
    },
    "evaluate": {
        "HF_EVALUATE_CACHE": "evaluate",
        "HF_METRICS_CACHE": "metrics",
        "HF_MODULES_CACHE": "modules",
        "DOWNLOADED_EVALUATE_PATH": "evaluate/downloads",
        "EXTRACTED_EVALUATE_PATH": "evaluate/downloads/extracted",
    },
}


def cut_off() -> None:
    """Apply the settings to libraries imported later, and to those already imported."""
    os.environ.update(OFFLINE)
    constants: Any = importlib.import_module("huggingface_hub.constants")
    constants.HF_HUB_OFFLINE = True
    constants.HF_HUB_DISABLE_TELEMETRY = True
    hub: Any = importlib.import_module("transformers.utils.hub")
    if hasattr(hub, "_is_offline_mode"):  # transformers 4
        hub._is_offline_mode = True
    logging: Any = importlib.import_module("transformers.utils.logging")
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    for library in FOLDERS:
        _keep_at_home(library)


def _keep_at_home(library: str) -> None:
    """Make `datasets` or `evaluate` use no network, print nothing and write to the home folder."""
    config: Any = importlib.import_module(f"{library}.config")
    home = Path.home() / ".cache" / "huggingface"
    config.HF_CACHE_HOME = str(home)
    for name, folder in FOLDERS[library].items():
        setattr(config, name, home / folder)
    for name in ("HF_HUB_OFFLINE", "HF_DATASETS_OFFLINE", "HF_EVALUATE_OFFLINE"):
        if hasattr(config, name):
            setattr(config, name, True)
    config.HF_UPDATE_DOWNLOAD_COUNTS = False
    importlib.import_module(f"{library}.utils.logging").set_verbosity_error()
    importlib.import_module(library).disable_progress_bar()
