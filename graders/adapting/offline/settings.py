"""The settings with which the libraries of Hugging Face ask no network and start no thread."""

import importlib
import os
from typing import Any

OFFLINE = {
    **dict.fromkeys(("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE", "HF_DATASETS_OFFLINE"), "1"),
    **dict.fromkeys(("HF_EVALUATE_OFFLINE", "HF_HUB_DISABLE_TELEMETRY", "DO_NOT_TRACK"), "1"),
    **dict.fromkeys(("HF_HUB_DISABLE_PROGRESS_BARS", "HF_HUB_DISABLE_IMPLICIT_TOKEN"), "1"),
    **dict.fromkeys(("DISABLE_SAFETENSORS_CONVERSION", "HF_DEACTIVATE_ASYNC_LOAD"), "1"),
    **{"TOKENIZERS_PARALLELISM": "false", "TRANSFORMERS_VERBOSITY": "error"},
}


def cut_off() -> None:
    """Say so to libraries that come, and to those that a warm parent has imported already."""
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
