"""Other libraries that starters import, after `ready`."""

import subprocess
import sys
from pathlib import Path

import pytest

GRADERS = Path(__file__).parents[3] / "graders"
posix = pytest.mark.skipif(sys.platform == "win32", reason="processes are forked")
pytestmark = pytest.mark.slow  # the first test starts the process


def test_importing_is_cheap():
    """Only checks that need transformers pay for it."""
    code = (
        "import sys, graders.adapting.offline; print({'torch', 'transformers'} & set(sys.modules))"
    )
    environment = {"PYTHONPATH": str(GRADERS)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True)
    assert (done.stdout.strip(), done.stderr) == (b"set()", b"")


@posix
def test_libraries_of_the_courses_are_the_real_ones(run_offline):
    run_offline("""
        import importlib.metadata
        import accelerate, datasets, evaluate, torchmetrics
        for each in (accelerate, datasets, evaluate, torchmetrics):
            assert each.__version__ == importlib.metadata.version(each.__name__)
            assert "site-packages" in each.__file__
        datasets.logging.set_verbosity_error(), datasets.disable_progress_bars()
    """)


@posix
def test_what_draws_and_reports_is_silent(run_offline):
    run_offline("""
        import matplotlib, wandb
        import matplotlib.pyplot as plt, seaborn as sns
        from matplotlib.ticker import MaxNLocator
        from torch.utils.tensorboard import SummaryWriter
        from google.colab import drive
        from IPython.display import clear_output
        from huggingface_hub import login, notebook_login
        matplotlib.use("agg"), sns.set_theme(), drive.mount("/content/drive"), clear_output()
        fig, ax = plt.subplots()
        ax.plot([1, 2], [3, 4]), plt.savefig("curve.png"), plt.close(fig)
        run = wandb.init(project="p", config={"lr": 1})
        wandb.log({"loss": 1.0}), wandb.finish(), login("token"), notebook_login()
        assert wandb.config.lr == 1
        with SummaryWriter("runs") as writer:
            writer.add_scalar("loss", 1.0, 2)
    """)


@posix
def test_what_no_machine_needs_to_have_stands_in(run_offline):
    """Without scikit-learn, pandas and Google's packages: as on a machine that lacks them."""
    run_offline("""
        import pytest, sys
        from graders.adapting.offline import reporting
        for name in [each for each in sys.modules if each.split(".")[0] in ("google", "sklearn")]:
            del sys.modules[name]
        sys.path[:] = []
        reporting.install()
        from google.colab import drive
        from sklearn.metrics import accuracy_score, classification_report, f1_score
        import pandas as pd
        assert accuracy_score([0, 1], [0, 0]) == 0.5 and f1_score([1], [1]) == 1
        print(classification_report([0], [0])), pd.DataFrame({"a": [1]}).to_csv("a.csv")
        with pytest.raises(ModuleNotFoundError):
            import google.protobuf
    """)


@posix
def test_progress_bars_count_and_print_nothing(run_offline):
    run_offline("""
        from tqdm import tqdm, trange
        from tqdm.auto import tqdm as auto
        from tqdm.notebook import tqdm as notebook, trange as counted
        assert [*tqdm([1, 2])] == [*auto([1, 2])] == [*notebook([1, 2])] == [1, 2]
        assert [*trange(2)] == [*counted(2)] == [0, 1]
        with notebook(total=3, desc="train") as bar:
            bar.update(2), bar.set_postfix(loss=1.0), bar.set_description("x")
            assert bar.n == 2
    """)


@posix
def test_a_collator_of_transformers_pads(run_offline):
    run_offline("""
        from transformers import DataCollatorWithPadding, logging
        logging.set_verbosity_error()
        tokenizer = AutoTokenizer.from_pretrained("roberta-base")
        items = [tokenizer("a"), tokenizer("a b c")]
        padded = tokenizer.pad(items, return_tensors="pt")["input_ids"]
        assert torch.equal(DataCollatorWithPadding(tokenizer)(items)["input_ids"], padded)
        assert padded.shape == (2, 5) and padded[0, -1] == tokenizer.pad_token_id
    """)


@posix
def test_a_second_call_changes_nothing(run_offline):
    run_offline("""
        import sys, graders.adapting.offline
        from transformers import PreTrainedModel
        before = list(sys.meta_path), PreTrainedModel.from_pretrained, torch.load
        graders.adapting.offline.ready()
        assert before == (list(sys.meta_path), PreTrainedModel.from_pretrained, torch.load)
    """)


@posix
def test_files_of_the_submission_are_no_libraries(run_offline, tmp_path):
    """A student's `tokenizers.py` or `datasets.py` must not break what is imported here."""
    (tmp_path / "tqdm.py").write_text("raise RuntimeError('not this one')\n")
    (tmp_path / "datasets.py").write_text("MINE = 1\n")
    run_offline("""
        import os, sys
        sys.path[0] = os.getcwd()  # where a worker has the submission
        for name in [each for each in sys.modules if each.split(".")[0] == "tqdm"]:
            del sys.modules[name]
        import graders.adapting.offline
        graders.adapting.offline.ready.cache_clear(), graders.adapting.offline.ready()
        assert sys.modules["datasets"].__file__ != os.path.join(os.getcwd(), "datasets.py")
    """)


@posix
def test_a_look_at_the_network_would_be_seen(run_offline):
    with pytest.raises(AssertionError, match=r"huggingface\.co"):
        run_offline("""
            import contextlib, socket
            with contextlib.suppress(OSError):
                socket.create_connection(("huggingface.co", 443))
        """)


@posix
def test_accelerate_trains_as_without_it(run_offline):
    run_offline("""
        from accelerate import Accelerator
        from accelerate.utils import set_seed
        set_seed(1)
        accelerator = Accelerator(mixed_precision="fp16", log_with="wandb")
        accelerator.init_trackers("run", config={"lr": 1.0})
        layer = torch.nn.Linear(2, 1)
        batches = torch.utils.data.DataLoader(torch.ones(3, 2), batch_size=3)
        layer, steps, batches = accelerator.prepare(
            layer, torch.optim.SGD(layer.parameters(), lr=1.0), batches
        )
        kept = layer.weight.detach().clone()
        for batch in batches:
            with accelerator.accumulate(layer), accelerator.autocast():
                accelerator.backward(layer(batch.to(accelerator.device)).mean())
                accelerator.clip_grad_norm_(layer.parameters(), 100.0)
                steps.step()
            assert accelerator.gather_for_metrics(batch).shape == (3, 2)
        accelerator.wait_for_everyone(), accelerator.log({"loss": 1}), accelerator.end_training()
        assert torch.equal(layer.weight, kept - 1)
        assert accelerator.unwrap_model(layer) is layer and accelerator.is_main_process
        assert str(accelerator.device) == "cpu"
        assert Accelerator(fp16=True).mixed_precision == "no"  # as it was written until 2022
    """)


@posix
def test_torchmetrics_counts_right_predictions(run_offline):
    run_offline("""
        from torchmetrics import MetricCollection
        from torchmetrics.classification import MulticlassAccuracy, MulticlassF1Score
        both = MetricCollection([MulticlassAccuracy(2, average="micro"), MulticlassF1Score(2)])
        both.update(torch.tensor([1, 0, 1]), torch.tensor([1, 1, 1]))
        both.update(torch.tensor([[0.9, 0.1]]), torch.tensor([0]))
        assert both.compute()["MulticlassAccuracy"].item() == 0.75
    """)
