from __future__ import annotations

import argparse
import copy
import pathlib
import typing as t

import matplotlib.pyplot as plt
import numpy as np
import torch
import wandb
from datasets import load_dataset
from sklearn.metrics import accuracy_score
from torch import nn
from torch.utils import data
from transformers import (
    AutoModelForSequenceClassification,
    AutoTokenizer,
    get_linear_schedule_with_warmup,
)

if torch.cuda.is_available():
    DEVICE = torch.device("cuda")
else:
    DEVICE = torch.device("cpu")


class SST2Example(t.NamedTuple):
    text: str
    label: int


class SST2Dataset(data.Dataset):
    def __init__(self, tokenizer, raw_data_list: t.List[dict]):
        super().__init__()
        self.tokenizer = tokenizer
        self.data = [SST2Example(**raw) for raw in raw_data_list]

    def __len__(self) -> int:
        return len(self.data)

    def __getitem__(self, index: int) -> SST2Example:
        return self.data[index]

    def __iter__(self) -> t.Iterator[SST2Example]:
        for example in self.data:
            yield example

    def collate_fn(self, batch: t.List[SST2Example]) -> t.Dict[str, t.Any]:
        texts, labels = zip(*batch)
        text_encoding = self.tokenizer(
            list(texts), padding=True, truncation="longest_first", max_length=512, return_tensors="pt"
        )
        return {"text_encoding": text_encoding, "label_encoding": torch.as_tensor(labels, dtype=torch.long)}


def initialize_datasets(tokenizer):
    raw_dataset = load_dataset("gpt3mix/sst2")
    split_datasets = {}
    for split_name in ["train", "validation", "test"]:
        split_datasets[split_name] = SST2Dataset(tokenizer, list(raw_dataset[split_name]))
    return split_datasets


loss_fn = nn.CrossEntropyLoss()


def train_one_epoch(model, dataloader, optimizer, epoch, scheduler=None):
    model.train()
    losses, hits, count = [], 0, 0
    for i, batch in enumerate(dataloader):
        enc, labels = batch["text_encoding"].to(DEVICE), batch["label_encoding"].to(DEVICE)
        with torch.set_grad_enabled(True):
            logits = model(**enc).logits
            loss = loss_fn(logits, labels)
        loss.backward()
        optimizer.step()
        if scheduler is not None:
            scheduler.step()
        optimizer.zero_grad()
        losses.append(loss.item())
        hits += compute_accuracy(logits.argmax(-1).cpu().numpy(), labels.cpu().numpy()) * len(labels)
        count += len(labels)
        wandb.log({"epoch": epoch, "step": i, "loss": loss.item()})
    return np.mean(losses), hits / count


def compute_accuracy(predictions, labels):
    return accuracy_score(labels, predictions)


@torch.no_grad()
def evaluate(model, dataloader):
    model.eval()
    scores, golds, loss, n = [], [], 0.0, 0
    for batch in dataloader:
        enc, labels = batch["text_encoding"].to(DEVICE), batch["label_encoding"].to(DEVICE)
        out = model(**enc, labels=labels)
        loss += out.loss.item() * len(labels)
        n += len(labels)
        scores.append(out.logits.softmax(-1).cpu().numpy())
        golds.append(labels.cpu().numpy())
    return compute_accuracy(np.concatenate(scores).argmax(1), np.concatenate(golds)), loss / n


def main(argv=None):
    parser = argparse.ArgumentParser()
    parser.add_argument("--lr", type=float, default=5e-5)
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--batch_size", type=int, default=64)
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("runs") / "adamw")
    args = parser.parse_args(argv)
    args.out.mkdir(parents=True, exist_ok=True)
    wandb.init(project="a2s3", config=vars(args))

    tokenizer = AutoTokenizer.from_pretrained("roberta-base")
    sets = initialize_datasets(tokenizer)
    loaders = {
        name: data.DataLoader(s, args.batch_size, shuffle=(name == "train"), collate_fn=s.collate_fn)
        for name, s in sets.items()
    }
    model = AutoModelForSequenceClassification.from_pretrained("roberta-base", num_labels=2)
    model.to(DEVICE)
    no_decay = ["bias", "LayerNorm.weight"]
    groups = [
        {"params": [p for n, p in model.named_parameters() if not any(d in n for d in no_decay)]},
        {"params": [p for n, p in model.named_parameters() if any(d in n for d in no_decay)],
         "weight_decay": 0.0},
    ]
    optimizer = torch.optim.AdamW(groups, lr=args.lr, eps=1e-8)
    steps = len(loaders["train"]) * args.epochs
    scheduler = get_linear_schedule_with_warmup(optimizer, steps // 10, steps)

    best_acc, best_model, curve = -1.0, None, []
    for epoch in range(args.epochs):
        train_loss, train_acc = train_one_epoch(model, loaders["train"], optimizer, epoch, scheduler)
        val_acc, val_loss = evaluate(model, loaders["validation"])
        curve.append((train_loss, train_acc, val_loss, val_acc))
        torch.save({"epoch": epoch, "model": model.state_dict(), "optimizer": optimizer.state_dict()},
                   args.out / "last.pt")
        if val_acc <= best_acc:
            continue
        best_acc, best_model = val_acc, copy.deepcopy(model)
        torch.save({"epoch": epoch, "acc": val_acc, "model": best_model.state_dict()}, args.out / "best.pt")
    fig, ax = plt.subplots()
    ax.plot([c[1] for c in curve], label="train")
    ax.plot([c[3] for c in curve], label="validation")
    ax.legend()
    fig.savefig(args.out / "curve.png")
    test_acc, _ = evaluate(best_model, loaders["test"])
    print(f"best validation {best_acc:.4f}, test {test_acc:.4f}")


if __name__ == "__main__":
    main()
