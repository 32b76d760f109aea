"""Three small models of the sample dataset, trained for some steps, and their predictions."""

import io
import random

import pytest
import torch
from torch.nn.utils.rnn import pad_sequence

from graders.assignments.cs224n_a4.hidden.checkpoints import student_side
from graders.data.birthplaces import DEV, TEST_INPUTS, TRAIN, WIKI
from reference.data.vocabulary import MASK, Vocabulary
from reference.models.gpt import GPT, GPTConfig
from reference.models.prediction import predict_places, read_prompts
from tests.graders.assignments.answering import InProcess

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
            places = predict_places(models[name], vocabulary, prompts)
            files[f"{model}.{part}.predictions"] = "".join(f"{s}\n" for s in places).encode()
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


def unfenced():
    """A sandbox without walls, for files that this test made."""
    return InProcess(student_side)


@pytest.fixture
def judge(judge):
    """Runs one check on these files, without a sandbox, and gives its result."""

    def run(check, files, sandbox=None, **more):
        return judge(check, files, sandbox=sandbox or unfenced(), **more)

    return run
