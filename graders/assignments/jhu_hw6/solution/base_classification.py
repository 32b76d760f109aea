"""Fine-tuning a pretrained classifier on BoolQ."""

import argparse

import evaluate
import torch
from datasets import load_dataset
from torch import nn
from torch.utils.data import DataLoader, Dataset
from transformers import AutoModelForSequenceClassification, AutoTokenizer, get_scheduler


class BoolQADataset(Dataset):
    """Questions with their passages, and whether the answer is yes."""

    def __init__(self, passages, questions, answers, tokenizer, max_len):
        self.passages, self.questions, self.answers = passages, questions, answers
        self.tokenizer, self.max_len = tokenizer, max_len

    def __len__(self):
        return len(self.answers)

    def __getitem__(self, index):
        text = f"{self.questions[index]} [SEP] {self.passages[index]}"
        encoding = self.tokenizer(
            text,
            max_length=self.max_len,
            padding="max_length",
            truncation=True,
            return_tensors="pt",
        )
        return {
            "input_ids": encoding["input_ids"].flatten(),
            "attention_mask": encoding["attention_mask"].flatten(),
            "labels": torch.tensor(int(self.answers[index]), dtype=torch.long),
        }


def evaluate_model(model, dataloader, device):
    """The accuracy of the model on all batches."""
    metric = evaluate.load("accuracy")
    model.eval()
    with torch.no_grad():
        for batch in dataloader:
            logits = model(
                batch["input_ids"].to(device), attention_mask=batch["attention_mask"].to(device)
            ).logits
            metric.add_batch(predictions=logits.argmax(dim=-1), references=batch["labels"])
    return metric.compute()


def train(
    mymodel,
    num_epochs,
    train_dataloader,
    validation_dataloader,
    test_dataloder,
    device,
    lr,
    small_subset=False,
):
    """Fine-tune the model; the accuracies of every epoch come back."""
    optimizer = torch.optim.AdamW(mymodel.parameters(), lr=lr)
    scheduler = get_scheduler(
        "linear",
        optimizer=optimizer,
        num_warmup_steps=0,
        num_training_steps=num_epochs * len(train_dataloader),
    )
    criterion = nn.CrossEntropyLoss()
    history = []
    for epoch in range(num_epochs):
        mymodel.train()
        for batch in train_dataloader:
            output = mymodel(
                batch["input_ids"].to(device), attention_mask=batch["attention_mask"].to(device)
            )
            loss = criterion(output.logits, batch["labels"].to(device))
            loss.backward()
            optimizer.step()
            scheduler.step()
            optimizer.zero_grad()
        accuracy = evaluate_model(mymodel, validation_dataloader, device)
        history.append(accuracy["accuracy"])
        print(f"epoch {epoch + 1}: validation {accuracy}")
    print("test", evaluate_model(mymodel, test_dataloder, device))
    return history


def pre_process(model_name, batch_size, device, small_subset=False):
    """The model, and loaders for training, validation and test."""
    rows = load_dataset("boolq")
    tokenizer = AutoTokenizer.from_pretrained(model_name)
    train_rows = rows["train"].shuffle(seed=0)
    parts = {
        "train": train_rows.select(range(10 if small_subset else 8000)),
        "validation": train_rows.select(range(10)) if small_subset else rows["validation"],
        "test": train_rows.select(range(10) if small_subset else range(8000, len(train_rows))),
    }
    sets = [
        BoolQADataset(part["passage"], part["question"], part["answer"], tokenizer, 128)
        for part in parts.values()
    ]
    model = AutoModelForSequenceClassification.from_pretrained(model_name, num_labels=2)
    return model.to(device), *(DataLoader(each, batch_size=batch_size) for each in sets)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--small_subset", action="store_true")
    parser.add_argument("--num_epochs", type=int, default=1)
    parser.add_argument("--lr", type=float, default=5e-5)
    parser.add_argument("--batch_size", type=int, default=32)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--model", default="distilbert-base-uncased")
    args = parser.parse_args()
    loaded = pre_process(args.model, args.batch_size, args.device, args.small_subset)
    train(loaded[0], args.num_epochs, *loaded[1:], args.device, args.lr, args.small_subset)
