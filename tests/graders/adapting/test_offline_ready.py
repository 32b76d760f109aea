"""Students' code for tokenizers, and functions that newer releases have removed."""

import sys

import pytest

posix = pytest.mark.skipif(sys.platform == "win32", reason="processes are forked")
pytestmark = [posix, pytest.mark.slow]  # the first test starts the process


@pytest.mark.parametrize("name", ["AutoTokenizer", "RobertaTokenizer", "RobertaTokenizerFast"])
def test_roberta_pads_to_the_longest(run_offline, name):
    run_offline(f"""
        import torch
        from transformers import {name}
        tokenizer = {name}.from_pretrained("roberta-base")
        options = dict(padding=True, truncation=True, max_length=512, return_tensors="pt")
        batch = tokenizer(["this film", "the very best of the films"], **options)
        assert set(batch) == {{"input_ids", "attention_mask"}}, batch
        assert batch["input_ids"].dtype == torch.int64
        assert batch["input_ids"].shape == batch["attention_mask"].shape
        assert batch["input_ids"][0, 0] == 0 and batch["input_ids"][0, -1] == 1
        assert batch["attention_mask"].sum(1).tolist() == [4, len(batch["input_ids"][1])]
        assert len(tokenizer("film " * 900, truncation=True)["input_ids"]) == 512
        assert (tokenizer.model_max_length, tokenizer.mask_token_id) == (512, len(tokenizer) - 1)
    """)


@pytest.mark.parametrize("name", ["BertTokenizer", "BertTokenizerFast", "AutoTokenizer"])
def test_bert_has_segments_and_its_own_ids(run_offline, name):
    run_offline(f"""
        from transformers import {name}
        tokenizer = {name}.from_pretrained("bert-base-uncased")
        batch = tokenizer("This FILM", "bad", padding="max_length", max_length=8)
        tokens = tokenizer.convert_ids_to_tokens(batch["input_ids"])
        assert tokens == ["[CLS]", "this", "film", "[SEP]", "bad", "[SEP]", "[PAD]", "[PAD]"]
        assert batch["token_type_ids"] == [0, 0, 0, 0, 1, 1, 0, 0]
        assert (tokenizer.pad_token_id, tokenizer.cls_token_id) == (0, 101)
    """)


@pytest.mark.parametrize("name", ["DistilBertTokenizer", "AutoTokenizer"])
def test_distilbert_has_no_segments(run_offline, name):
    run_offline(f"""
        from transformers import {name}
        tokenizer = {name}.from_pretrained("distilbert-base-uncased")
        assert set(tokenizer("a film")) == {{"input_ids", "attention_mask"}}
        assert tokenizer.model_max_length == 512
    """)


def test_separators_capitals_and_bytes_are_those_of_the_family(run_offline):
    run_offline("""
        bert = AutoTokenizer.from_pretrained("bert-base-cased")
        assert bert("a [SEP] b")["input_ids"].count(bert.sep_token_id) == 2
        roberta = AutoTokenizer.from_pretrained("roberta-base")
        assert roberta("a [SEP] b")["input_ids"].count(roberta.sep_token_id) == 1
        assert roberta.decode(roberta("a [SEP] b")["input_ids"][1:-1]) == "a [SEP] b"
    """)
    run_offline("""
        cased = AutoTokenizer.from_pretrained("bert-base-cased")
        uncased = AutoTokenizer.from_pretrained("bert-base-uncased")
        assert cased.tokenize("Film") != uncased.tokenize("Film") == ["film"]
    """)
    run_offline("""
        tokenizer = AutoTokenizer.from_pretrained("roberta-base")
        text = "The 3 best films: naïve, 你好 🙂, isn't it?"
        assert tokenizer.decode(tokenizer(text)["input_ids"], skip_special_tokens=True) == text
        assert tokenizer.tokenize(" the film is lovely") == ["Ġthe", "Ġfilm", "Ġis", "Ġlovely"]
    """)


@pytest.mark.parametrize("name", ["roberta-base", "bert-base-uncased", "distilbert-base-cased"])
def test_every_text_is_read(run_offline, name):
    run_offline(f"""
        tokenizer = AutoTokenizer.from_pretrained("{name}")
        texts = ["", " ", "你好 مرحبا 🙂 naïve œuvre", "\\x00\\t\\n", "a " * 3000, "</s> [MASK]"]
        batch = tokenizer(texts, padding=True, truncation=True, return_tensors="pt")
        assert batch["input_ids"].max() < len(tokenizer)
        assert batch["input_ids"].shape == (6, 512)
    """)


# ---------------------------------------------------------------- removed API


def test_encode_plus_is_back(run_offline):
    run_offline("""
        tokenizer = AutoTokenizer.from_pretrained("roberta-base")
        film = tokenizer.convert_tokens_to_ids("film")
        options = dict(max_length=6, return_attention_mask=True, return_tensors="pt")
        old = tokenizer.encode_plus("film", pad_to_max_length=True, **options)
        new = tokenizer.encode_plus("film", padding="max_length", truncation=True, **options)
        assert old["input_ids"].tolist() == new["input_ids"].tolist() == [[0, film, 2, 1, 1, 1]]
        long = tokenizer("film " * 9, pad_to_max_length=True, **options)
        assert long["input_ids"].shape == (1, 6)
        assert len(tokenizer.encode("film", max_length=6, pad_to_max_length=True)) == 6
        assert tokenizer.encode_plus("a", "b") == tokenizer.encode_plus(["a", "b"])
        assert tokenizer.encode_plus(["a", "b"]) == tokenizer("a", "b")
        bert = AutoTokenizer.from_pretrained("bert-base-uncased")
        words = bert.encode_plus(["a", "b"], is_split_into_words=True)
        assert words == bert("a b") == bert.encode_plus("a b")
        for each in (tokenizer, bert):
            parts = [each.encode(text, add_special_tokens=False) for text in ("a", "b c")]
            assert each.build_inputs_with_special_tokens(*parts) == each.encode("a", "b c")
            assert each.build_inputs_with_special_tokens(parts[1]) == each.encode("b c")
    """)


def test_batch_encode_plus_is_back(run_offline):
    run_offline("""
        tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")
        batch = tokenizer.batch_encode_plus(["a", "a b c"], padding=True, return_tensors="pt")
        assert batch["input_ids"].shape == (2, 5)
        pairs = [("q", "p"), ("r", "s t")]
        assert tokenizer.batch_encode_plus(pairs) == tokenizer(["q", "r"], ["p", "s t"])
    """)


def test_the_old_adamw_is_back(run_offline):
    run_offline("""
        import torch, transformers
        from transformers import AdamW, get_linear_schedule_with_warmup, get_scheduler, set_seed
        from transformers.optimization import AdamW as same
        assert transformers.AdamW is AdamW is same
        weight = torch.nn.Parameter(torch.ones(3))
        optimizer = AdamW([weight], lr=0.1, eps=1e-8, no_deprecation_warning=True)
        twin = torch.nn.Parameter(torch.ones(3))
        wanted = torch.optim.AdamW([twin], lr=0.1, eps=1e-8, weight_decay=0.0)
        scheduler = get_linear_schedule_with_warmup(optimizer, 0, 4)
        get_scheduler("linear", optimizer=wanted, num_warmup_steps=0, num_training_steps=4)
        for each, one in ((weight, optimizer), (twin, wanted)):
            (each * torch.arange(3.0)).sum().backward()
            one.step()
        assert torch.allclose(weight, twin, atol=1e-6), (weight, twin)
        scheduler.step()
        assert abs(optimizer.param_groups[0]["lr"] - 0.075) < 1e-9
        set_seed(3)
    """)


def test_the_old_adamw_decays_after_its_step(run_offline):
    run_offline("""
        import math, torch
        from transformers import AdamW
        weight = torch.nn.Parameter(torch.tensor([2.0]))
        options = dict(weight_decay=0.5, correct_bias=False, no_deprecation_warning=True)
        optimizer = AdamW([weight], lr=0.1, **options)
        (weight * 3).sum().backward()
        assert optimizer.step(lambda: 5) == 5
        stepped = 2 - 0.1 * 0.3 / (math.sqrt(0.009) + 1e-6)
        assert abs(weight.item() - stepped * (1 - 0.1 * 0.5)) < 1e-6
    """)


def test_names_survive_and_whole_modules_are_loaded_again(run_offline):
    run_offline("""
        import sys
        sys.modules.pop("transformers.processing_utils", None)
        import transformers.processing_utils, transformers
        from transformers import AdamW
        assert transformers.AdamW is AdamW
    """)
    run_offline("""
        import pytest, torch
        torch.save(torch.nn.Linear(2, 2), "model.pt")
        assert isinstance(torch.load("model.pt", map_location="cpu"), torch.nn.Linear)
        with pytest.raises(Exception, match="weights_only"):
            torch.load("model.pt", weights_only=True)
    """)
