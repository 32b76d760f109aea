"""A stand-in for accelerate with one process, on the CPU, in full precision."""

import random
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy as np

from .silent import Silent


class Accelerator:
    """What a training loop asks of accelerate, where there is nothing to accelerate."""

    num_processes = 1
    process_index = local_process_index = 0
    is_main_process = is_local_main_process = is_last_process = True
    sync_gradients = True
    optimizer_step_was_skipped = False
    use_distributed = False
    mixed_precision = "no"

    def __init__(self, *_values: Any, **_named: Any) -> None:
        import torch

        self.device = torch.device("cpu")

    def prepare(self, *objects: Any, **_named: Any) -> Any:
        """The same objects, in a tuple where they are several."""
        return objects[0] if len(objects) == 1 else objects

    prepare_model = prepare_optimizer = prepare_data_loader = prepare_scheduler = prepare

    def backward(self, loss: Any, **named: Any) -> None:
        """The gradients of a loss."""
        loss.backward(**named)

    def autocast(self, *_values: Any, **_named: Any) -> AbstractContextManager[None]:
        """Nothing is cast; every batch makes its own step."""
        return nullcontext()

    accumulate = no_sync = join_uneven_inputs = profile = autocast

    def gather(self, values: Any, *_more: Any, **_named: Any) -> Any:
        """What the one process has."""
        return values

    gather_for_metrics = reduce = pad_across_processes = gather

    def unwrap_model(self, model: Any, *_values: Any, **_named: Any) -> Any:
        """The model itself."""
        return model

    def get_state_dict(self, model: Any, *_values: Any, **_named: Any) -> Any:
        """The model's weights."""
        return model.state_dict()

    def clip_grad_norm_(self, parameters: Any, *values: Any, **named: Any) -> Any:
        """As torch clips."""
        import torch

        return torch.nn.utils.clip_grad_norm_(parameters, *values, **named)

    def clip_grad_value_(self, parameters: Any, *values: Any, **named: Any) -> None:
        """As torch clips."""
        import torch

        torch.nn.utils.clip_grad_value_(parameters, *values, **named)

    def print(self, *values: Any, **named: Any) -> None:
        """Print once."""
        print(*values, **named)

    def save(self, what: Any, place: Any, **_named: Any) -> None:
        """Save as torch does."""
        import torch

        torch.save(what, place)

    def __getattr__(self, name: str) -> Silent:
        """Trackers, waits and what else has nothing to do here."""
        if name.startswith("__"):
            raise AttributeError(name)
        return Silent(name)


def set_seed(seed: int, **_named: Any) -> None:
    """Seed every generator."""
    import torch

    random.seed(seed)
    np.random.seed(seed % 2**32)
    torch.manual_seed(seed)


PUBLIC = {"Accelerator": Accelerator, "set_seed": set_seed}
