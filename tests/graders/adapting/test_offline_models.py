"""Tiny models with names of the hub, and whole programs that use them without a network."""

import sys

import pytest

posix = pytest.mark.skipif(sys.platform == "win32", reason="processes are forked")
pytestmark = [posix, pytest.mark.slow]  # the first test starts the process
FAMILIES = ["roberta", "bert", "bert-cased", "distilbert", "distilbert-cased"]


@pytest.mark.parametrize(
    ("name", "prefix"),
    [
        ("roberta-base", "Roberta"),
        ("google-bert/bert-base-uncased", "Bert"),
        ("distilbert-base-cased", "DistilBert"),
    ],
)
def test_auto_and_concrete_classes_load_the_family(run_offline, name, prefix):
    run_offline(f"""
        import transformers
        from transformers import {prefix}Model as Model
        from transformers import {prefix}ForSequenceClassification as Classifier
        auto, concrete = AutoModel.from_pretrained("{name}"), Model.from_pretrained("{name}")
        assert type(auto) is Model and not auto.training
        for one, other in zip(auto.state_dict().values(), concrete.state_dict().values()):
            assert torch.equal(one, other)
        classifier = transformers.AutoModelForSequenceClassification
        for model in (Classifier, classifier):
            assert model.from_pretrained("{name}", num_labels=3).num_labels == 3
        embeddings = auto.get_input_embeddings()
        assert embeddings is auto.embeddings.word_embeddings
        assert embeddings.embedding_dim == auto.config.hidden_size == 32
        assert len(AutoTokenizer.from_pretrained("{name}")) == embeddings.num_embeddings
        config = transformers.AutoConfig.from_pretrained("{name}")
        assert config.model_type == auto.config.model_type
    """)


def test_options_of_the_hub_and_classes_of_the_student_are_no_obstacle(run_offline):
    run_offline("""
        AutoModel.from_pretrained(
            pretrained_model_name_or_path="roberta-base", cache_dir="/nowhere", revision="main",
            force_download=True, token=True, device_map="auto", output_hidden_states=True,
        )
        AutoTokenizer.from_pretrained("roberta-base", use_fast=True, cache_dir="/nowhere")
    """)
    run_offline("""
        from transformers import RobertaModel
        class Mine(RobertaModel):
            pass
        assert type(Mine.from_pretrained("roberta-base")) is Mine
    """)


def test_a_new_head_follows_the_seed(run_offline):
    run_offline("""
        from transformers import AutoModelForSequenceClassification as Classifier
        def head(seed):
            torch.default_generator.manual_seed(seed)
            return Classifier.from_pretrained("roberta-base").classifier.dense.weight
        assert torch.equal(head(1), head(1)) and not torch.equal(head(1), head(2))
    """)


def test_what_was_saved_is_loaded_and_what_was_not_fails(run_offline):
    run_offline("""
        import pytest
        from transformers import AutoModelForSequenceClassification as Classifier
        model = Classifier.from_pretrained("roberta-base").eval()
        tokenizer = AutoTokenizer.from_pretrained("roberta-base")
        model.save_pretrained("best"), tokenizer.save_pretrained("best")
        torch.save(model.state_dict(), "best.pt")
        again = Classifier.from_pretrained("best").eval()
        third = Classifier.from_pretrained("roberta-base").eval()
        batch = AutoTokenizer.from_pretrained("best")(["a film"], return_tensors="pt")
        assert torch.allclose(model(**batch).logits, again(**batch).logits)
        assert not torch.allclose(model(**batch).logits, third(**batch).logits)
        third.load_state_dict(torch.load("best.pt"))
        assert torch.allclose(model(**batch).logits, third(**batch).logits)
        for missing in ("./last", "checkpoints/best", "last"):
            with pytest.raises(Exception):
                Classifier.from_pretrained(missing)
        assert model.push_to_hub("me/model") is None
    """)


@pytest.mark.parametrize("name", ["roberta-base", "bert-base-uncased"])
def test_an_id_outside_the_embedding_is_an_error(run_offline, name):
    run_offline(f"""
        import pytest
        tokenizer = AutoTokenizer.from_pretrained("{name}")
        model = AutoModel.from_pretrained("{name}")
        model(**tokenizer("film " * 900, truncation=True, return_tensors="pt"))
        tokenizer.add_special_tokens({{"pad_token": "[FILL]"}})
        batch = tokenizer(["a", "a b c"], padding=True, return_tensors="pt")
        with pytest.raises(IndexError):
            model(**batch)
        with pytest.raises((IndexError, RuntimeError)):
            model(torch.full((1, 600), 5))
        model.resize_token_embeddings(len(tokenizer))
        model(**batch)
    """)


@pytest.mark.parametrize("family", FAMILIES)
def test_outputs_differ_clearly_between_inputs(run_offline, family):
    run_offline(f"""
        from graders.adapting.offline.models import tiny_model, tiny_tokenizer
        tokenizer = tiny_tokenizer("{family}")
        model = tiny_model("{family}", seed=3).eval()
        texts = ["a good film", "a bad film", "film good a", "a good film ?"]
        logits = torch.cat([model(**tokenizer([t], return_tensors="pt")).logits for t in texts])
        apart = torch.cdist(logits, logits) + torch.eye(4)
        assert apart.min() > 0.02, logits
    """)


@pytest.mark.parametrize("kind", ["classifier", "backbone"])
def test_the_seed_decides_and_nothing_else_is_drawn(run_offline, kind):
    run_offline(f"""
        from graders.adapting.offline.models import tiny_model
        before = torch.random.get_rng_state()
        one, same, other = (tiny_model("bert", kind="{kind}", seed=s) for s in (1, 1, 2))
        assert torch.equal(torch.random.get_rng_state(), before)
        flat = [torch.nn.utils.parameters_to_vector(m.parameters()) for m in (one, same, other)]
        assert torch.equal(flat[0], flat[1]) and not torch.equal(flat[0], flat[2])
        assert hasattr(one, "classifier") is ("{kind}" == "classifier")
    """)


@pytest.mark.parametrize("family", FAMILIES)
def test_dropout_is_as_asked(run_offline, family):
    run_offline(f"""
        from graders.adapting.offline.models import tiny_model
        ids = torch.tensor([[5, 6, 7]])
        still, noisy = (tiny_model("{family}", dropout=rate).train() for rate in (0.0, 0.3))
        assert torch.equal(still(ids).logits, still(ids).logits)
        assert not torch.equal(noisy(ids).logits, noisy(ids).logits)
    """)


def test_shape_of_the_hubs_models_can_be_set(run_offline):
    run_offline("""
        from graders.adapting.offline.models import set_shape
        assert AutoModel.from_pretrained("roberta-base").config.hidden_dropout_prob == 0.1
        set_shape(width=768, dropout=0.0)
        wide = AutoModel.from_pretrained("roberta-base").train()
        assert wide.config.hidden_size == 768
        ids = torch.tensor([[5, 6, 7]])
        assert torch.equal(wide(ids)[0], wide(ids)[0])
        set_shape()
        assert AutoModel.from_pretrained("roberta-base").config.hidden_size == 32
    """)


def test_a_family_is_made_once(run_offline):
    run_offline("""
        import os
        from graders.adapting.offline.models import local_directory
        here = local_directory("roberta")
        assert here == local_directory("roberta") and str(here).startswith(os.environ["HOME"])
        AutoModel.from_pretrained("roberta-base"), AutoTokenizer.from_pretrained("roberta-large")
        assert sum(name.startswith("roberta-") for name in os.listdir(os.environ["HOME"])) == 1
    """)


def test_a_tiny_model_learns_ten_items(run_offline):
    run_offline("""
        from graders.adapting.offline.models import tiny_model, tiny_tokenizer
        words = ("good", "bad", "fine", "dull", "great", "awful", "best", "worst", "warm", "cold")
        batch = tiny_tokenizer("roberta")([f"a {w} film" for w in words], return_tensors="pt")
        labels = torch.tensor([0, 1] * 5)
        model = tiny_model("roberta", seed=1)
        optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
        for _ in range(20):
            model(**batch, labels=labels).loss.backward()
            optimizer.step(), optimizer.zero_grad()
        right = model(**batch).logits.argmax(1) == labels
        assert right.float().mean() >= 0.9, right
    """)
