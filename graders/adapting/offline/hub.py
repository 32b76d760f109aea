"""Replace models and tokenizers of the hub by tiny local ones of the same family."""

import contextlib
import functools
import importlib
import os
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from graders.adapting.offline.models import local_directory

# The classes that define `from_pretrained`; all others inherit from these.
OWNERS = (
    ("modeling_utils", "PreTrainedModel"),
    ("tokenization_utils_base", "PreTrainedTokenizerBase"),
    ("configuration_utils", ("PreTrainedConfig", "PretrainedConfig")),
    ("models.auto.auto_factory", "_BaseAutoModelClass"),
    ("models.auto.tokenization_auto", "AutoTokenizer"),
    ("models.auto.configuration_auto", "AutoConfig"),
)
NAME = re.compile(r"[\w.-]+(/[\w.-]+)?")
KNOWN = re.compile(r"bert|electra|xlnet|gpt|mpnet|minilm|bart|ernie|longformer|llama|opt-|t5-")
# First parts of local paths; any other name before a single slash is a user of the hub.
FOLDERS = re.compile(
    r"\.+|(.*[_.-])?(checkpoints?|ckpts?|models?|outputs?|results?|saved?|runs?|logs?|data|weights?"
    r"|tmp|drive|content|fine-?tuned)([_.-].*)?"
)
# Arguments that only matter for the hub, another device or another library.
DROPPED = (
    "cache_dir", "revision", "token", "use_auth_token", "force_download", "resume_download",
    "proxies", "mirror", "subfolder", "device_map", "max_memory", "low_cpu_mem_usage",
    "attn_implementation", "quantization_config", "load_in_8bit", "load_in_4bit",
    "trust_remote_code", "use_safetensors", "from_tf", "from_flax", "variant",
)  # fmt: skip


def family_of(name: Any) -> str | None:
    """Return the family of a name of the hub, or None if it is a path on this machine."""
    if not isinstance(name, str) or os.path.exists(name) or not NAME.fullmatch(name):
        return None
    user, _, rest = name.lower().rpartition("/")
    if user and (Path(user).is_dir() or FOLDERS.fullmatch(user)):
        return None
    if not user and not KNOWN.search(rest):
        return None
    if "roberta" in rest:
        return "roberta"
    family = "distilbert" if "distilbert" in rest else "bert"
    return f"{family}-cased" if "cased" in rest and "uncased" not in rest else family


def install() -> None:
    """Make every `from_pretrained` accept names of the hub, and never send anything there."""
    for module_name, names in OWNERS:
        module: Any = importlib.import_module(f"transformers.{module_name}")
        for name in (names,) if isinstance(names, str) else names:
            if hasattr(module, name):
                _replace_all(getattr(module, name))
                break
    hub: Any = importlib.import_module("huggingface_hub")
    for name in ("login", "notebook_login", "interpreter_login", "logout"):
        setattr(hub, name, _nothing)
    mixin: Any = importlib.import_module("transformers.utils.hub").PushToHubMixin
    mixin.push_to_hub = _nothing


def _replace_all(owner: Any) -> None:
    """Replace it in the class and in subclasses that define their own, as Auto* classes may."""
    if "from_pretrained" in vars(owner):
        _replace(owner)
    for subclass in owner.__subclasses__():
        _replace_all(subclass)


def _replace(owner: Any) -> None:
    original: Callable[..., Any] = vars(owner)["from_pretrained"].__func__

    @functools.wraps(original)
    def from_pretrained(
        cls: Any, pretrained_model_name_or_path: Any, *values: Any, **named: Any
    ) -> Any:
        family = family_of(pretrained_model_name_or_path)
        if family is None:
            return original(cls, pretrained_model_name_or_path, *values, **named)
        options = {key: value for key, value in named.items() if key not in DROPPED}
        with contextlib.redirect_stdout(sys.__stdout__), contextlib.redirect_stderr(sys.__stderr__):
            here = str(local_directory(family))  # replaced streams may lack isatty()
            return original(cls, here, *values, **options | {"local_files_only": True})

    owner.from_pretrained = classmethod(from_pretrained)


def _nothing(*_values: object, **_named: object) -> None:
    """Do nothing, in place of logging in or publishing."""
