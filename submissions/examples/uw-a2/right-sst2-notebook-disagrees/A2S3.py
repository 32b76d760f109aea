import torch
from datasets import load_dataset
from torch.utils.data import DataLoader, Dataset
from tqdm import tqdm
from transformers import AutoModelForSequenceClassification, AutoTokenizer

DEVICE = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class SST2Example:
    def __init__(self, text, label):
        self.text = text
        self.label = label


class SST2Dataset(Dataset):
    def __init__(self, tokenizer, raw_data_list):
        self.tokenizer = tokenizer
        self.samples = [SST2Example(raw["text"], raw["label"]) for raw in raw_data_list]

    def __len__(self):
        return len(self.samples)

    def __getitem__(self, index):
        return self.samples[index]

    def __iter__(self):
        return iter(self.samples)

    def collate_fn(self, batch):
        texts = [sample.text for sample in batch]
        labels = [sample.label for sample in batch]
        text_encoding = self.tokenizer(
            texts, padding=True, max_length=512, truncation=True, return_tensors="pt"
        )
        return {"text_encoding": text_encoding, "label_encoding": torch.LongTensor(labels)}


def initialize_datasets(tokenizer):
    raw = load_dataset("gpt3mix/sst2")
    train = SST2Dataset(tokenizer, list(raw["train"]))
    validation = SST2Dataset(tokenizer, list(raw["validation"]))
    test = SST2Dataset(tokenizer, list(raw["test"]))
    return {"train": train, "validation": validation, "test": test}


def train_one_epoch(model, dataloader, optimizer, epoch):
    model.train()
    for batch in tqdm(dataloader, desc=f"epoch {epoch}"):
        text = batch["text_encoding"].to(DEVICE)
        labels = batch["label_encoding"].to(DEVICE)
        loss = model(**text, labels=labels).loss
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def compute_accuracy(predictions, labels):
    return (predictions == labels).float().mean().item()


def evaluate(model, dataloader):
    model.eval()
    predictions, labels = [], []
    with torch.no_grad():
        for batch in dataloader:
            logits = model(**batch["text_encoding"].to(DEVICE)).logits
            predictions.append(logits.argmax(dim=-1).cpu())
            labels.append(batch["label_encoding"])
    return compute_accuracy(torch.cat(predictions), torch.cat(labels))


def main():
    tokenizer = AutoTokenizer.from_pretrained("roberta-base")
    model = AutoModelForSequenceClassification.from_pretrained("roberta-base").to(DEVICE)
    sets = initialize_datasets(tokenizer)
    collate = sets["train"].collate_fn
    train_dataloader = DataLoader(sets["train"], batch_size=64, shuffle=False, collate_fn=collate)
    val_dataloader = DataLoader(sets["validation"], batch_size=64, collate_fn=collate)
    test_dataloader = DataLoader(sets["test"], batch_size=64, collate_fn=collate)
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-5, eps=1e-8)
    best_acc = 0.0
    for epoch in range(20):
        train_one_epoch(model, train_dataloader, optimizer, epoch)
        val_acc = evaluate(model, val_dataloader)
        print(epoch, val_acc)
        if val_acc > best_acc:
            best_acc = val_acc
            torch.save(model.state_dict(), "best.pt")
    model.load_state_dict(torch.load("best.pt"))
    print("test", evaluate(model, test_dataloader))


if __name__ == "__main__":
    main()
