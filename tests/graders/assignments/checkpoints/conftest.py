"""Three small models of the sample dataset, trained for some steps, and their predictions."""

import io
import random

import pytest
import torch
from torch.nn.utils.rnn import pad_sequence

from graders.assignments.cs224n_a4.hidden.checkpoints import checks, student_side
from graders.assignments.cs224n_a4.hidden.checkpoints.submitted import CHECKPOINTS, Checkpoints
from graders.assignments.cs224n_a4.hidden.predictions.submitted import PredictionFiles
from graders.checks.score import Score
from graders.checks.submitted import SubmittedFiles
from graders.checks.verdict import verdict
from graders.data.birthplaces import DEV, TEST_INPUTS, TRAIN, WIKI
from graders.model import Check
from graders.registry.discovery import load_assignment
from reference.data.vocabulary import MASK, Vocabulary
from reference.models.gpt import GPT, GPTConfig
from reference.models.prediction import predict_places, read_prompts
from tests.graders.assignments.answering import Answering

MODELS = {
    "vanilla.model.params": "vanilla.nopretrain",
    "vanilla.finetune.params": "vanilla.pretrain",
    "rope.finetune.params": "rope.pretrain",
}


@pytest.fixture(scope="session")
def vocabulary(world):
    return Vocabulary((world.folder / WIKI).read_text(encoding="utf-8"))


@pytest.fixture(scope="session")
def models(world, vocabulary):
    """The trained models by the names of their files."""
    return {
        name: trained(world, vocabulary, seed=seed, rope=name.startswith("rope"))
        for seed, name in enumerate(MODELS)
    }


@pytest.fixture(scope="session")
def states(models):
    """Their weights, which a test may put together anew."""
    return {name: dict(model.state_dict()) for name, model in models.items()}


@pytest.fixture(scope="session")
def right_files(world, vocabulary, models, states):
    """The files of a submission in which everything fits: weights and their predictions."""
    files = {name: to_bytes(state) for name, state in states.items()}
    for name, model in MODELS.items():
        for part, questions in (("dev", DEV), ("test", TEST_INPUTS)):
            prompts = read_prompts(world.folder / questions)
            said = predict_places(models[name], vocabulary, prompts)
            files[f"{model}.{part}.predictions"] = "".join(f"{s}\n" for s in said).encode()
    return files


@pytest.fixture(scope="session")
def saved():
    """The bytes that torch.save writes."""
    return to_bytes


def to_bytes(value):
    file = io.BytesIO()
    torch.save(value, file)
    return file.getvalue()


def trained(world, vocabulary, *, seed, rope):
    """A demo-size model after a few real steps: it answers by name, though not rightly."""
    torch.manual_seed(seed)
    model = GPT(GPTConfig(len(vocabulary), 128, 3, 4, 128, 0, 0, 0, rope))
    with torch.no_grad():
        for matrix in model.parameters():
            matrix *= 5 if matrix.ndim == 2 else 1  # otherwise a few steps give one answer to all
    lines = (world.folder / TRAIN).read_text(encoding="utf-8").splitlines()
    rows = [torch.tensor(vocabulary.encode(line.replace("\t", MASK) + MASK)) for line in lines]
    optimizer, rng = torch.optim.AdamW(model.parameters(), lr=1e-3), random.Random(seed)
    for _ in range(20):
        batch = pad_sequence(rng.sample(rows, 16), batch_first=True)
        _, loss = model(batch[:, :-1], batch[:, 1:])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return model.eval()


class InProcess(Answering):
    """A sandbox without walls, for files that this test made."""

    def answer(self, function, /, **values):
        reply = getattr(student_side, function)(**values)
        if "tensors" in reply:
            reply["tensors"] = {name: each.numpy() for name, each in reply["tensors"].items()}
        return reply


@pytest.fixture
def judge(tmp_path, world):
    """Runs one check on these files and gives its result."""
    assigned = load_assignment("cs224n-a4").settings

    def run(check, files, sandbox=None, data=world, **changes):
        settings = {**assigned, **changes}
        for name, content in files.items():
            (tmp_path / name).write_bytes(content)
        submitted = SubmittedFiles({name: tmp_path / name for name in files})
        files = PredictionFiles(submitted, data, settings)
        given, score, problem = Checkpoints(sandbox or InProcess(), files), Score(), None
        name, _, kind = check.rpartition("_")
        asked = [each for each in CHECKPOINTS if each.id == name.replace("_", "-")]
        asked += [{}] if kind == "weights" else []
        try:
            getattr(checks, f"test_{kind if asked else check}")(given, *asked, score)
        except Exception as error:  # noqa: BLE001  a check may end in any way
            problem = error
        return verdict(Check(check, "", ""), problem, score)

    return run
