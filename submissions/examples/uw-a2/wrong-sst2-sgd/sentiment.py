import pickle
import random

import evaluate as hf_evaluate
import numpy as np
import torch
import transformers
from datasets import load_dataset

DEVICE = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
NAME = "roberta-base"


class SST2Dataset(torch.utils.data.Dataset):
    def __init__(self, tokenizer, raw_data_list):
        self.tokenizer = tokenizer
        self.encodings = [tokenizer(r["text"], truncation=True, max_length=512) for r in raw_data_list]
        self.labels = [r["label"] for r in raw_data_list]

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, i):
        return self.encodings[i], self.labels[i]

    def __iter__(self):
        return (self[i] for i in range(len(self)))

    def collate_fn(self, batch):
        encodings, labels = map(list, zip(*batch))
        return {
            "text_encoding": self.tokenizer.pad(encodings, return_tensors="pt"),
            "label_encoding": torch.tensor(labels, dtype=torch.int64),
        }


def initialize_datasets(tokenizer):
    raw = load_dataset("gpt3mix/sst2")
    return [SST2Dataset(tokenizer, raw[split]) for split in ("train", "validation", "test")]


def batch_loss(model, batch):
    out = model(**batch["text_encoding"].to(DEVICE), labels=batch["label_encoding"].to(DEVICE))
    return out.loss, out.logits


def train_one_epoch(model, dataloader, optimizer, epoch):
    def closure():
        optimizer.zero_grad()
        loss, _ = batch_loss(model, batch)
        loss.backward()
        return loss

    model.train()
    running = 0.0
    for batch in dataloader:
        running += optimizer.step(closure).item()
    return {"epoch": epoch, "loss": running / len(dataloader)}


def compute_accuracy(predictions, labels):
    return float(np.mean(np.asarray(predictions) == np.asarray(labels)))


def evaluate(model, dataloader):
    metric = hf_evaluate.load("accuracy")
    model.eval()
    for batch in dataloader:
        with torch.no_grad():
            _, logits = batch_loss(model, batch)
        metric.add_batch(predictions=logits.argmax(dim=-1), references=batch["label_encoding"])
    return metric.compute()["accuracy"]


def main():
    for seed in (random.seed, np.random.seed, torch.manual_seed):
        seed(0)
    tokenizer = transformers.AutoTokenizer.from_pretrained(NAME)
    config = transformers.AutoConfig.from_pretrained(NAME, num_labels=2)
    model = transformers.AutoModelForSequenceClassification.from_pretrained(NAME, config=config).to(DEVICE)
    train, dev, test = initialize_datasets(tokenizer)
    loaders = [
        torch.utils.data.DataLoader(d, batch_size=32, shuffle=d is train, collate_fn=d.collate_fn)
        for d in (train, dev, test)
    ]
    opt = torch.optim.SGD(params=model.parameters(), lr=5e-5)
    best, patience = float("-inf"), 3
    for epoch in range(20):
        print(train_one_epoch(model, loaders[0], opt, epoch))
        acc = evaluate(model, loaders[1])
        patience -= 1
        if acc > best:
            best, patience = acc, 3
            with open("best.pkl", "wb") as f:
                pickle.dump(model.state_dict(), f)
        if patience == 0:
            break
    with open("best.pkl", "rb") as f:
        model.load_state_dict(pickle.load(f))
    print("dev", best, "test", evaluate(model, loaders[2]))


if __name__ == "__main__":
    main()
