"""Greedy answers, compared with one prompt at a time and a model that spells only one word."""

import pytest
import torch

from reference.data.vocabulary import MASK, Vocabulary
from reference.models.gpt import GPT, GPTConfig
from reference.models.prediction import predict_places, read_prompts

VOCABULARY = Vocabulary("Where was Ada Li born?\nIn Rome.")


def random_model(rope, block_size):
    torch.manual_seed(3)
    model = GPT(GPTConfig(len(VOCABULARY), block_size, n_layer=2, n_head=2, n_embd=16, rope=rope))
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.5)  # far from uniform, so that no letters tie
    return model.eval()


def one_at_a_time(model, prompt):
    """The course's way: 32 letters, whatever they are, each from the whole text."""
    ids = torch.tensor([VOCABULARY.encode(prompt)])
    for _ in range(32):
        logits, _ = model(ids[:, -model.config.block_size :])
        ids = torch.cat([ids, logits[:, -1:].argmax(-1)], dim=1)
    return "".join(VOCABULARY.itos[int(i)] for i in ids[0]).split(MASK)[1]


def speller(word):
    """A model without layers that says each letter of the word after the one before."""
    n = len(VOCABULARY)
    model = GPT(GPTConfig(n, 64, n_layer=0, n_head=1, n_embd=n, rope=True))
    follows = torch.zeros(n, n)
    for now, then in zip(MASK + word, word + MASK, strict=True):
        follows[VOCABULARY.stoi[then], VOCABULARY.stoi[now]] = 1
    model.tok_emb.weight.data = torch.eye(n)
    model.head.weight.data = follows
    return model


@pytest.mark.parametrize("rope", [False, True])
@pytest.mark.parametrize("block_size", [64, 12])
def test_batch_is_one_prompt_at_a_time(rope, block_size):
    model = random_model(rope, block_size)
    prompts = [q + MASK for q in ("Where was Ada Li born?", "Li?\n", "Ada Li", "W")]
    expected = [one_at_a_time(model, prompt) for prompt in prompts]
    assert predict_places(model, VOCABULARY, prompts) == expected


def test_answer_lies_between_masks_or_is_32_letters():
    prompts = ["Where was Ada Li born?" + MASK, "Li?" + MASK]
    assert predict_places(speller("Rome"), VOCABULARY, prompts) == ["Rome", "Rome"]
    model = speller("Rome")
    model.head.weight.data[VOCABULARY.stoi["R"], VOCABULARY.stoi["e"]] = 2  # e, then R again
    assert predict_places(model, VOCABULARY, ["Li" + MASK]) == ["Rome" * 8]


def test_dropout_is_off_and_a_line_without_tab_keeps_its_newline(tmp_path):
    model = random_model(rope=True, block_size=64).train()
    prompts = ["Where was Ada Li born?" + MASK]
    assert predict_places(model, VOCABULARY, prompts) == [one_at_a_time(model.eval(), prompts[0])]
    path = tmp_path / "questions.tsv"
    path.write_text("Li?\tRome\nAda?\nW?", encoding="utf-8")
    assert read_prompts(path) == [f"Li?{MASK}", f"Ada?\n{MASK}", f"W?{MASK}"]


@pytest.mark.data
def test_course_prompts(course):
    dev, test = (
        read_prompts(course / "birth_dev.tsv"),
        read_prompts(course / "birth_test_inputs.tsv"),
    )
    assert (len(dev), len(test)) == (500, 437)
    assert dev[0] == f"Where was Bryan Dubreuiel born?{MASK}"
    assert test[0] == f"Where was Adam Bright born?\n{MASK}"
