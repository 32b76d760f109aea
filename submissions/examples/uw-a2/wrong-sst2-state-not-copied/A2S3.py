from functools import partial

import torch
import torch.nn.functional as F
from datasets import load_dataset
from torch.utils.data import DataLoader, Dataset
from transformers import RobertaForSequenceClassification, RobertaTokenizerFast

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


class SST2Dataset(Dataset):
    # rows are kept as they come: {"text": ..., "label": ...}
    def __init__(self, tokenizer, raw_data_list):
        self.tok, self.rows = tokenizer, raw_data_list

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        return self.rows[i]


def collate_fn(batch, tokenizer):
    enc = tokenizer(
        [b["text"] for b in batch], padding="longest", truncation=True, max_length=128,
        return_tensors="pt",
    )
    return dict(text_encoding=dict(enc), label_encoding=torch.tensor([b["label"] for b in batch]))


def initialize_datasets(tokenizer):
    return tuple(
        SST2Dataset(tokenizer, load_dataset("gpt3mix/sst2", split=s))
        for s in ("train", "validation", "test")
    )


def compute_accuracy(predictions, labels):
    return sum(int(p) == int(y) for p, y in zip(predictions, labels)) / len(labels)


def to_device(batch):
    return {k: v.to(DEVICE) for k, v in batch["text_encoding"].items()}, batch["label_encoding"].to(DEVICE)


def train_one_epoch(model, dataloader, optimizer, epoch):
    model.train(True)
    for step, batch in enumerate(dataloader):
        x, y = to_device(batch)
        logits = model(input_ids=x["input_ids"], attention_mask=x["attention_mask"]).logits
        loss = F.cross_entropy(logits, y)
        model.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        if step % 50 == 0:
            print(epoch, step, float(loss.detach()))


def evaluate(model, dataloader):
    model.train(False)
    guesses, truth = [], []
    with torch.inference_mode():
        for batch in dataloader:
            x, y = to_device(batch)
            guesses += model(**x)[0].argmax(1).tolist()
            truth += y.tolist()
    return compute_accuracy(guesses, truth)


def main(lr=5e-5, batch_size=64, num_epochs=10):
    tokenizer = RobertaTokenizerFast.from_pretrained("roberta-base")
    model = RobertaForSequenceClassification.from_pretrained("roberta-base").to(DEVICE)
    train, val, test = initialize_datasets(tokenizer)
    make = partial(DataLoader, batch_size=batch_size, collate_fn=partial(collate_fn, tokenizer=tokenizer))
    train_dl, val_dl, test_dl = make(train, shuffle=True), make(val), make(test)
    opt = torch.optim.AdamW(model.parameters(), lr=lr, eps=1e-8)
    history = []
    best = None
    for epoch in range(num_epochs):
        train_one_epoch(model, train_dl, opt, epoch)
        history.append(evaluate(model, val_dl))
        if best is None or history[-1] > max(history[:-1]):
            best = model.state_dict()
    model.load_state_dict(best)
    print("test", evaluate(model, test_dl))


if __name__ == "__main__":
    main()
