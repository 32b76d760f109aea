"""Fine-tune RoBERTa on SST-2, and keep the weights with the best validation accuracy."""

import copy
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import torch
from datasets import load_dataset
from torch import nn
from torch.utils.data import DataLoader, Dataset
from tqdm import tqdm
from transformers import AutoModelForSequenceClassification, AutoTokenizer

DEVICE = torch.device("cuda" if torch.cuda.is_available() else "cpu")
MODEL = "roberta-base"
BATCH_SIZE, EPOCHS, LEARNING_RATE, EPSILON = 64, 20, 5e-5, 1e-8
MAX_LENGTH = 512  # positions of RoBERTa


@dataclass
class SST2Example:
    """A sentence and its class."""

    text: str
    label: int


class SST2Dataset(Dataset):
    """The sentences of one split; batches are tokenized when they are created."""

    def __init__(self, tokenizer: Any, raw_data_list: list[dict[str, Any]]) -> None:
        self.tokenizer = tokenizer
        self.examples = [SST2Example(row["text"], int(row["label"])) for row in raw_data_list]

    def __len__(self) -> int:
        return len(self.examples)

    def __getitem__(self, index: int) -> SST2Example:
        return self.examples[index]

    def __iter__(self) -> Iterator[SST2Example]:
        return iter(self.examples)

    def collate_fn(self, batch: list[SST2Example]) -> dict[str, Any]:
        """Return a batch as tensors, padded to its longest sentence."""
        text_encoding = self.tokenizer(
            [example.text for example in batch],
            padding=True,
            max_length=MAX_LENGTH,
            truncation=True,
            return_tensors="pt",
        )
        labels = torch.LongTensor([example.label for example in batch])
        return {"text_encoding": text_encoding, "label_encoding": labels}


def initialize_datasets(tokenizer: Any) -> dict[str, SST2Dataset]:
    """Return the three splits by name."""
    raw = load_dataset("gpt3mix/sst2")
    return {
        split: SST2Dataset(tokenizer, list(raw[split])) for split in ("train", "validation", "test")
    }


def train_one_epoch(
    model: nn.Module, dataloader: DataLoader, optimizer: torch.optim.Optimizer, epoch: int
) -> float:
    """Take one step for each batch; return the mean loss."""
    model.train()
    total = 0.0
    for batch in tqdm(dataloader, desc=f"Epoch {epoch}"):
        text, labels = batch["text_encoding"].to(DEVICE), batch["label_encoding"].to(DEVICE)
        optimizer.zero_grad()
        loss = model(**text, labels=labels).loss
        loss.backward()
        optimizer.step()
        total += loss.item() * len(labels)
    return total / len(dataloader.dataset)


def compute_accuracy(predictions: torch.Tensor, labels: torch.Tensor) -> float:
    """Return the fraction of correct predictions."""
    return (predictions == labels).float().mean().item()


@torch.no_grad()
def evaluate(model: nn.Module, dataloader: DataLoader) -> float:
    """Return the accuracy on all batches together."""
    model.eval()
    predictions, labels = [], []
    for batch in dataloader:
        logits = model(**batch["text_encoding"].to(DEVICE)).logits
        predictions.append(logits.argmax(dim=-1).cpu())
        labels.append(batch["label_encoding"])
    return compute_accuracy(torch.cat(predictions), torch.cat(labels))


def main() -> None:
    """Train, select on validation, and report the test accuracy once."""
    torch.manual_seed(42)
    tokenizer = AutoTokenizer.from_pretrained(MODEL)
    model = AutoModelForSequenceClassification.from_pretrained(MODEL, num_labels=2).to(DEVICE)
    loaders = {
        split: DataLoader(
            dataset, BATCH_SIZE, shuffle=split == "train", collate_fn=dataset.collate_fn
        )
        for split, dataset in initialize_datasets(tokenizer).items()
    }
    optimizer = torch.optim.AdamW(model.parameters(), lr=LEARNING_RATE, eps=EPSILON)
    best_accuracy, best_weights = 0.0, copy.deepcopy(model.state_dict())
    for epoch in range(EPOCHS):
        loss = train_one_epoch(model, loaders["train"], optimizer, epoch)
        accuracy = evaluate(model, loaders["validation"])
        print(f"epoch {epoch}: loss {loss:.4f}, validation accuracy {accuracy:.4f}")
        if accuracy > best_accuracy:
            best_accuracy, best_weights = accuracy, copy.deepcopy(model.state_dict())
            torch.save(best_weights, "best.pt")
    model.load_state_dict(best_weights)
    print(f"test accuracy {evaluate(model, loaders['test']):.4f}")


if __name__ == "__main__":
    main()
