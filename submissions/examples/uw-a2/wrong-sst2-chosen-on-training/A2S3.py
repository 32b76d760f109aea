import os

import torch
from datasets import load_dataset
from torch.optim import AdamW
from torch.utils.data import DataLoader, RandomSampler, SequentialSampler
from tqdm.auto import tqdm
from transformers import AutoModelForSequenceClassification, AutoTokenizer, set_seed

MODEL_NAME = "roberta-base"
OUT = "/content/drive/MyDrive/a2/best_model"
device = torch.device("cuda")


class SST2Example:
    __slots__ = ("text", "label")

    def __init__(self, text, label):
        self.text = text
        self.label = label


class SST2Dataset:
    def __init__(self, tokenizer, raw_data_list):
        self._tokenizer = tokenizer
        self._items = []
        for raw in raw_data_list:
            self._items.append(SST2Example(raw["text"], raw["label"]))

    def __len__(self):
        return len(self._items)

    def __getitem__(self, idx):
        return self._items[idx]

    def __iter__(self):
        self._at = 0
        return self

    def __next__(self):
        if self._at == len(self._items):
            raise StopIteration
        self._at += 1
        return self._items[self._at - 1]

    @staticmethod
    def _column(samples, name):
        return [getattr(s, name) for s in samples]

    def collate_fn(self, samples):
        text = self._tokenizer.batch_encode_plus(
            self._column(samples, "text"), padding=True, truncation=True, max_length=512,
            return_tensors="pt",
        )
        return {"text_encoding": text, "label_encoding": torch.LongTensor(self._column(samples, "label"))}


def initialize_datasets(tokenizer):
    raw = load_dataset("gpt3mix/sst2")
    return {name: SST2Dataset(tokenizer, raw[name]) for name in raw}


scaler = torch.cuda.amp.GradScaler()


def train_one_epoch(model, dataloader, optimizer, epoch):
    model.train()
    bar = tqdm(dataloader, total=len(dataloader), desc=f"Train Ep {epoch}")
    correct, total = 0, 0
    for batch in bar:
        inputs = batch["text_encoding"].to("cuda")
        labels = batch["label_encoding"].cuda()
        optimizer.zero_grad(set_to_none=True)
        with torch.cuda.amp.autocast():
            outputs = model(**inputs, labels=labels)
        scaler.scale(outputs.loss).backward()
        scaler.unscale_(optimizer)
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()
        correct += (outputs.logits.argmax(-1) == labels).sum().item()
        total += labels.size(0)
        bar.set_postfix(loss=outputs.loss.item(), acc=correct / total)
    torch.cuda.empty_cache()
    return 100 * correct / total


def compute_accuracy(predictions, labels):
    return torch.eq(predictions, labels).sum() / labels.numel() * 100


def evaluate(model, dataloader):
    was_training = model.training
    model.eval()
    all_pred, all_label = [], []
    with torch.no_grad():
        for batch in dataloader:
            with torch.autocast("cuda"):
                out = model(**batch["text_encoding"].to("cuda"))
            all_pred.append(torch.max(out.logits, dim=1).indices)
            all_label.append(batch["label_encoding"].to(device))
    model.train(was_training)
    return compute_accuracy(torch.hstack(all_pred), torch.hstack(all_label))


def main():
    set_seed(13)
    tokenizer = AutoTokenizer.from_pretrained(MODEL_NAME)
    model = AutoModelForSequenceClassification.from_pretrained(MODEL_NAME).to("cuda")
    splits = initialize_datasets(tokenizer)

    def loader(name, sampler, workers=2):
        data = splits[name]
        return DataLoader(data, 64, sampler=sampler(data), collate_fn=data.collate_fn,
                          num_workers=workers, pin_memory=True, persistent_workers=True)

    train = loader("train", RandomSampler)
    val = loader("validation", SequentialSampler)
    optimizer = AdamW(model.parameters(), lr=2e-5, eps=1e-8, weight_decay=0.01)
    best_acc = 0.0
    for epoch in range(1, 21):
        train_acc = train_one_epoch(model, train, optimizer, epoch)
        val_acc = evaluate(model, val).item()
        print(f"{epoch}: train {train_acc:.2f} val {val_acc:.2f} mem {torch.cuda.max_memory_allocated()}")
        if train_acc > best_acc:
            best_acc = train_acc
            os.makedirs(OUT, exist_ok=True)
            model.save_pretrained(OUT)
            tokenizer.save_pretrained(OUT)
    best = AutoModelForSequenceClassification.from_pretrained(OUT).to("cuda")
    print("test", evaluate(best, loader("test", SequentialSampler, 0)))


if __name__ == "__main__":
    main()
