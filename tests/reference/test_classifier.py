"""The classifier: what each method trains, what it does not, what a prefix is."""

import copy
from dataclasses import replace

import pytest
import torch

from reference.models.backbone import TinySize, load_backbone, write_tiny
from reference.models.classifier import Classifier, Tokens, beginning
from reference.models.methods import METHODS
from reference.training.classification.encoders import Recipe
from reference.training.classification.finetuning import (
    height,
    loss_of,
    make_optimizer,
    multiplier,
    set_rate,
    train_step,
)
from reference.training.classification.items import collate, encode

TEXTS = ["a fine film", "a dull and very long film", "fine", "dull ending , fine cast"]
PAIRS = [("is it good", text) for text in TEXTS]
LABELS = torch.tensor([1, 0, 1, 0])
RECIPE = Recipe(1, 4, rate=1e-3, new_rate=1e-2)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("encoder")
    write_tiny(folder, [*TEXTS, *PAIRS], size=TinySize(32, 2, 2))
    return folder


@pytest.fixture
def backbone(folder):
    return load_backbone(folder)


def classifier_of(backbone, method, **more):
    torch.manual_seed(0)
    return Classifier(backbone.model, method, **more).eval()


def tokens_of(backbone, texts):
    return collate(encode(backbone, texts, 32), backbone.tokenizer.pad_token_id)


def take_steps(classifier, tokens, n=3):
    optimizer = make_optimizer(classifier, RECIPE)
    classifier.train()
    for step in range(1, n + 1):
        set_rate(optimizer, multiplier(step, n, RECIPE.warmup))
        train_step(classifier, optimizer, loss_of(classifier(tokens), LABELS))
    return classifier.eval()


@pytest.mark.parametrize("method", METHODS)
def test_trained_parameters_are_the_courses_counts(backbone, method):
    d, everything = backbone.features, sum(p.numel() for p in backbone.model.parameters())
    expected = {"head": 2 * d + 2, "prefix": 130 * d + 2, "full": everything + 2 * d + 2}[method]
    groups = make_optimizer(classifier_of(backbone, method), RECIPE).param_groups
    assert sum(p.numel() for group in groups for p in group["params"]) == expected


@pytest.mark.parametrize("method", METHODS)
def test_what_a_method_does_not_train_stays_bit_identical(backbone, method):
    classifier = classifier_of(backbone, method)
    before = copy.deepcopy(classifier.state_dict())
    take_steps(classifier, tokens_of(backbone, PAIRS))
    changed = {n for n, t in classifier.state_dict().items() if not torch.equal(t, before[n])}
    expected = {
        "head": {"head.weight", "head.bias"},
        "prefix": {"head.weight", "head.bias", "prefix"},
        "full": {n for n in before if n != "prefix"},
    }[method]
    # A table's PAD row and unused segments get no gradient, but the decay moves their table.
    assert changed == expected


@pytest.mark.parametrize("texts", [TEXTS, PAIRS])
def test_prefix_of_length_zero_is_the_head(backbone, texts):
    tokens = tokens_of(backbone, texts)
    head = classifier_of(backbone, "head")
    none = classifier_of(backbone, "prefix", prefix_length=0)
    none.load_trained(head.trained())
    assert torch.equal(head(tokens), none(tokens))


@pytest.mark.parametrize("method", METHODS)
def test_padding_changes_nothing(backbone, method):
    classifier = classifier_of(backbone, method)
    together = classifier(tokens_of(backbone, TEXTS))
    alone = torch.cat([classifier(tokens_of(backbone, [text])) for text in TEXTS])
    torch.testing.assert_close(together, alone)


def test_pooled_is_the_mean_and_a_prefix_of_words_that_is_read_and_learns(backbone):
    """Not the encoder's embedding layer, which would add positions and norm a second time."""
    tokens = tokens_of(backbone, PAIRS[1:2])
    output = backbone.model.eval()(input_ids=tokens.ids, token_type_ids=tokens.segments)
    pooled = classifier_of(backbone, "head").pooled(tokens)
    torch.testing.assert_close(pooled, output.last_hidden_state.mean(1))
    classifier = classifier_of(backbone, "prefix", prefix_length=5)
    table = backbone.model.get_input_embeddings().weight
    near = torch.cdist(classifier.prefix, table).min(1).values
    assert float(near.detach().max()) < 1e-5
    assert beginning(table, 0).shape == (0, 32)
    classifier = classifier_of(backbone, "prefix", prefix_length=5)
    before = classifier(tokens_of(backbone, TEXTS))
    loss_of(before, LABELS).backward()
    assert bool((classifier.prefix.grad.abs().sum(1) > 0).all())
    with torch.no_grad():
        classifier.prefix.copy_(torch.randn(5, 32))
    assert not torch.allclose(classifier(tokens_of(backbone, TEXTS)), before)


@pytest.mark.parametrize("method", ["head", "prefix"])
def test_frozen_encoder_drops_nothing(backbone, method):
    classifier = classifier_of(backbone, method).train()
    tokens = tokens_of(backbone, TEXTS)
    assert torch.equal(classifier.pooled(tokens), classifier.pooled(tokens))
    assert not torch.equal(classifier(tokens), classifier(tokens)), "the head has its dropout"


def test_other_weights_are_refused(backbone):
    full = classifier_of(backbone, "full").trained()
    with pytest.raises(ValueError, match="is not in both models"):
        classifier_of(backbone, "head").load_trained(full)
    with pytest.raises(ValueError, match="prefix has another shape"):
        classifier_of(backbone, "prefix").load_trained(
            classifier_of(backbone, "prefix", prefix_length=4).trained()
        )


def test_long_texts_are_cut_and_unknown_words_read(backbone):
    (tokens,) = encode(backbone, [("is it good", "dull " * 100)], 20)
    assert tokens.ids.shape == (1, 20)
    assert tokens.segments.tolist() == [[0] * 5 + [1] * 15]
    (tokens,) = encode(backbone, ["a FILM unheard-of"], 32)
    assert backbone.tokenizer.unk_token_id in tokens.ids[0].tolist()
    assert tokens.ids[0, 2] == backbone.tokenizer.convert_tokens_to_ids("film")
    moved = tokens_of(backbone, PAIRS).to(torch.device("meta"))
    assert {t.device.type for t in (moved.ids, moved.mask, moved.segments)} == {"meta"}
    assert Tokens(moved.ids, moved.mask).to(torch.device("meta")).segments is None


def test_roberta_gets_no_segments(tmp_path, folder):
    """Its embedding has one segment: the second one's id would lie outside the table."""
    from transformers import AutoTokenizer, RobertaConfig, RobertaModel

    config = RobertaConfig(
        vocab_size=64, hidden_size=32, num_hidden_layers=1, num_attention_heads=2,
        intermediate_size=32, type_vocab_size=1, max_position_embeddings=70, pad_token_id=0,
    )  # fmt: skip
    RobertaModel(config).save_pretrained(tmp_path)
    AutoTokenizer.from_pretrained(folder).save_pretrained(tmp_path)
    roberta = load_backbone(tmp_path)
    assert roberta.longest == 69
    tokens = tokens_of(roberta, PAIRS)
    assert tokens.segments is None
    assert classifier_of(roberta, "prefix", prefix_length=4)(tokens).shape == (4, 2)


def test_rate_climbs_then_falls_to_almost_nothing():
    shares = [multiplier(step, 20, 0.25) for step in range(1, 21)]
    assert shares[:5] == [0.2, 0.4, 0.6, 0.8, 1.0]
    assert shares[-1] == pytest.approx(1 / 15)
    assert shares[4:] == sorted(shares[4:], reverse=True)


def test_lower_layers_learn_more_gently_and_new_parameters_at_their_own_rate(backbone):
    recipe = replace(RECIPE, layer_decay=0.5)
    names = list(classifier_of(backbone, "full").trained())
    groups = make_optimizer(classifier_of(backbone, "full"), recipe).param_groups
    rates = dict(zip(names, (group["peak"] for group in groups), strict=True))
    assert rates["backbone.embeddings.word_embeddings.weight"] == RECIPE.rate / 4
    assert rates["backbone.encoder.layer.0.output.dense.weight"] == RECIPE.rate / 2
    assert rates["backbone.encoder.layer.1.output.dense.weight"] == RECIPE.rate
    assert rates["head.weight"] == rates["head.bias"] == RECIPE.new_rate
    assert height("backbone.transformer.layer.3.ffn.lin1.weight") == 4  # DistilBERT's


def test_tiny_encoder_is_the_same_for_the_same_seed(tmp_path):
    for name, seed in (("a", 0), ("b", 0), ("c", 1)):
        write_tiny(tmp_path / name, TEXTS, seed=seed)
    a, b, c = ((tmp_path / name / "model.safetensors").read_bytes() for name in "abc")
    assert a == b != c
    one, other = ((tmp_path / name / "tokenizer.json").read_bytes() for name in "ab")
    assert one == other
