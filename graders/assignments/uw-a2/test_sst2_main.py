"""main: what it trains and evaluates on, which weights it keeps, and what it tests at the end."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from a2_sst2_asked import not_written
from a2_sst2_visits import Loader, Visits, visits

from graders.checks.compare import fail

ENDED = "The code of main then ends with an error; what it did before counts"


@pytest.mark.criterion("sst2-main", weight=0)
def test_main_is_written(student, inputs, score):
    """main trains and evaluates; what holds of code that does not is not counted."""
    seen = visits(student, inputs)
    if seen.ended is not None:
        score.note(f"{ENDED}: {seen.ended} {seen.ended.where}".rstrip())
    if not seen.last_epoch:
        not_written("main does not call train_one_epoch.")
    if not seen.evaluations():
        not_written("main does not call evaluate.")


@pytest.mark.criterion("sst2-main", weight=1, depends_on=("main-is-written",))
def test_validated_each_epoch(student, inputs, score):
    """Each epoch trains on the training split and is followed by an evaluation on validation."""
    seen = visits(student, inputs)
    for epoch in seen.of("train"):
        if epoch.split not in ("train", ""):
            fail(f"main trains on the split {epoch.split}.", expected="train")
        if epoch.strange:
            fail(
                "The batches hold a token that the model cannot look up: training would crash.",
                hint="It is outside the model's embedding table. Use the tokenizer's own <pad>, or "
                "call model.resize_token_embeddings(len(tokenizer)).",
                actual=epoch.strange,
            )
    missing = [at for at in range(1, seen.last_epoch + 1) if at not in seen.validated()]
    if missing:
        known = {each.split for each in seen.evaluations()}
        fail(
            "The validation accuracy is not asked for after each epoch.",
            hint="Call evaluate(model, validation_dataloader) inside the loop over epochs.",
            expected=f"{seen.last_epoch} evaluations on validation",
            actual=f"{seen.last_epoch - len(missing)}; splits evaluated: {', '.join(known)}"[:200],
        )
    if seen.last_epoch < 6:
        score.note(f"main trains {seen.last_epoch} epochs; the handout has 20.")


@pytest.mark.criterion("sst2-main", weight=2, depends_on=("main-is-written",))
def test_best_weights_kept(student, inputs):
    """The weights kept are those of the first epoch with the highest validation accuracy."""
    seen = visits(student, inputs)
    kept, best = _kept(seen), seen.best()
    if kept == best:
        return
    fail(
        "main does not keep the weights of the epoch that is best on validation.",
        hint=_known_mistake(seen, kept),
        expected=f"those of epoch {best}",
        actual=f"those of epoch {kept}" if kept > 0 else "no trained weights",
        counterexample=_shown(seen),
    )


@pytest.mark.criterion("sst2-main", weight=1, depends_on=("main-is-written",))
def test_tested_once(student, inputs, score):
    """The test split is looked at once, after training, with the weights that were kept."""
    seen = visits(student, inputs)
    tests = seen.tests()
    if not tests:
        score.note("main does not evaluate on test; Q5.1 asks for that accuracy.")
        return
    if any(each.epoch < seen.last_epoch for each in tests):
        fail(
            "The test split is looked at during training.",
            hint="Choose on validation alone, and evaluate on test once at the end.",
            expected="1 evaluation, after the last epoch",
            actual=f"{len(tests)} evaluations on test",
        )
    if all(each.weights != _kept(seen) for each in tests):
        fail(
            "The test accuracy is not that of the weights kept as the best.",
            hint="After training the model has the last epoch's weights: load the best ones "
            "before the evaluation on test.",
            expected=f"the weights of epoch {_kept(seen)}",
            actual=f"those of epoch {tests[-1].weights}",
            counterexample=_shown(seen),
        )


@pytest.mark.criterion("sst2-main", weight=1, depends_on=("main-is-written",))
def test_order_of_sentences(student, inputs, score):
    """Training sentences come in random order; validation and test in theirs, each once."""
    seen = visits(student, inputs)
    for split, loader in _loaders(seen).items():
        _fail_without_collate(split, loader)
        orders, count = loader.orders, loader.count
        drawn = [*orders, loader.places] if split == "train" else orders
        shuffled = any(order != sorted(order) for order in drawn)
        if split == "train" and not shuffled:
            fail(
                "The training sentences come in the same order in every epoch.",
                hint="DataLoader(..., shuffle=True) for the training split.",
            )
        if split == "train" and orders[0] == orders[-1]:
            score.note("The training sentences are shuffled once, not anew for each epoch.")
        if split != "train":
            _fail_unless_whole(split, orders[0], count, shuffled=shuffled)


@pytest.mark.criterion("sst2-main", weight=1, depends_on=("main-is-written",))
def test_optimizer(student, inputs, score):
    """AdamW trains the weights of the model that is evaluated."""
    seen = visits(student, inputs)
    for optimizer in [each.optimizer for each in seen.of("train")]:
        if not optimizer.name:
            fail("train_one_epoch is given no optimizer.")
        if not optimizer.held:
            fail(
                "The optimizer holds no weight of the model that is trained.",
                hint="Make it after the model, from model.parameters().",
            )
        if optimizer.held != optimizer.weights:
            fail(
                "The optimizer does not hold all of the model's weights.",
                hint="model.parameters() has them all; the handout fine-tunes the whole model.",
                expected=f"{optimizer.weights} tensors",
                actual=f"{optimizer.held} tensors",
            )
        if not optimizer.adamw:
            fail(
                f"main trains with {optimizer.name}.",
                hint="The handout's main has AdamW; leave other optimizers to the experiments of "
                "Q4.5.",
                expected="AdamW",
            )
    _note_settings(seen, score)


def _kept(seen: Visits) -> int:
    """The epoch whose weights main has chosen: what it tests, or what lies in its files.

    Weights that were loaded again for the test decide. A model that was never set back holds the
    last epoch's, so then the files decide, where not every epoch has one of its own.
    """
    files = list(seen.final_files().values())
    tests = [each.weights for each in seen.tests() if each.epoch == seen.last_epoch]
    loaded = [weights for weights in tests if weights not in (seen.last_epoch, -1, 0)]
    if loaded:
        return loaded[-1]
    chosen = [epoch for epoch in files if epoch != seen.last_epoch]
    if seen.best() in files and len(set(files)) < max(2, seen.last_epoch):
        return seen.best()
    if len(set(chosen)) == 1:
        return chosen[0]
    return files[-1] if files else tests[-1] if tests else 0


def _known_mistake(seen: Visits, kept: int) -> str:
    if not seen.validated():
        return "Evaluate on validation after each epoch, and choose by that."
    written = {each.epoch for each in seen.of("keep")}
    if kept == seen.last_epoch and len(written) == seen.last_epoch > 1:
        return (
            "Weights are saved in every epoch: save only where the validation accuracy is higher "
            "than the best so far, and remember that one as the new best"
        ) + "."
    mistakes = {
        seen.best(ties=True): "An epoch that is only as good as the best so far replaces it: "
        "compare with >, not with >=.",
        seen.last_rise(): "An epoch is kept where it is better than the one before: is best_acc "
        "updated, and with the best?",
        seen.best("test"): "The weights are chosen by the accuracy on test.",
        seen.last_epoch: "These are the last epoch's weights: a state_dict that is not copied "
        "changes with the model, and the last epoch need not be the best.",
        1: "Only the first epoch is kept: is best_acc compared the right way round?",
    }
    return mistakes.get(kept, "Save the weights where the validation accuracy is a new best.")


def _shown(seen: Visits) -> dict[str, str]:
    """The accuracies that main was told."""
    epochs = seen.validated()[:9]
    numbers = [f"{seen.accuracy('validation', epoch):.3f}" for epoch in epochs]
    return {"validation accuracy by epoch": ", ".join(numbers), "epochs": str(seen.last_epoch)}


def _loaders(seen: Visits) -> Mapping[str, Loader]:
    """The loaders that can be read, the training split's among them."""
    if "train" not in seen.loaders:
        fail("train_one_epoch is not given a dataloader of the training split.")
    return seen.loaders


def _fail_without_collate(split: str, loader: Loader) -> None:
    if loader.plain and "text_encoding" not in loader.names:
        fail(
            f"The dataloader of {split} does not use collate_fn.",
            hint="DataLoader(dataset, ..., collate_fn=dataset.collate_fn).",
            actual=loader.raised,
        )


def _fail_unless_whole(split: str, order: Sequence[int], count: int, *, shuffled: bool) -> None:
    if shuffled:
        fail(
            f"The sentences of {split} are shuffled.",
            hint="Only training needs a random order: shuffle=False here.",
        )
    if sorted(order) != list(range(count)):
        fail(
            f"The dataloader of {split} does not deliver every sentence once.",
            hint="No drop_last and no sampling with replacement where accuracy is measured.",
            expected=f"{count} sentences",
            actual=f"{len(set(order))} different ones",
        )


def _note_settings(seen: Visits, score: Any) -> None:
    """Say where learning rate or epsilon are not the handout's; both may be tuned."""
    for name, usual in (("lr", 5e-5), ("eps", 1e-8)):
        for each in seen.of("train")[:1]:
            came = each.optimizer.settings.get(name, usual)
            if came != usual:
                score.note(f"The optimizer has {name}={came:g}; the handout begins with {usual:g}.")
