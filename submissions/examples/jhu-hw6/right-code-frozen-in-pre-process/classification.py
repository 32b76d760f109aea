import torch
from datasets import load_dataset
from torch import nn, optim
from torch.utils.data import DataLoader, Dataset
from transformers import AutoModel, AutoTokenizer

prefix_length = 128


class BoolQADataset(Dataset):
    def __init__(self, passages, questions, answers, tokenizer, max_len):
        self.items = []
        for p, q, a in zip(passages, questions, answers):
            e = tokenizer(q + " [SEP] " + p, max_length=max_len, truncation=True, padding="max_length", return_tensors="pt")
            self.items.append(
                {"input_ids": e.input_ids[0], "attention_mask": e.attention_mask[0], "labels": torch.tensor(int(a))}
            )

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        return self.items[i]


class CustomModelforSequenceClassification(nn.Module):
    def __init__(self, model_name, num_labels=2, type="full"):
        super().__init__()
        self.model = AutoModel.from_pretrained(model_name)
        self.classifier = nn.Linear(self.model.config.hidden_size, num_labels)
        self.type = type
        if type == "prefix":
            self.prefix = nn.Parameter(torch.randn(prefix_length, self.model.config.hidden_size) / 10)

    def forward(self, input_ids, attention_mask):
        inputs = dict(input_ids=input_ids, attention_mask=attention_mask)
        if self.type == "prefix":
            prefix = torch.stack([self.prefix for _ in input_ids])
            inputs = dict(
                inputs_embeds=torch.cat([prefix, self.model.get_input_embeddings()(input_ids)], 1),
                attention_mask=torch.cat([torch.ones_like(prefix[:, :, 0]), attention_mask], 1),
            )
        states = self.model(**inputs)[0]
        return {"logits": self.classifier(states.sum(1) / states.shape[1])}


def pre_process(model_name, batch_size, device, small_subset=False, type="full"):
    data = load_dataset("boolq")
    tokenizer = AutoTokenizer.from_pretrained(model_name)
    train = data["train"].shuffle(seed=42)
    loaders = []
    for rows in (train.select(range(8000)), data["validation"], train.select(range(8000, len(train)))):
        rows = rows.select(range(10)) if small_subset else rows
        loaders.append(DataLoader(BoolQADataset(rows["passage"], rows["question"], rows["answer"], tokenizer, 128), batch_size))
    model = CustomModelforSequenceClassification(model_name, type=type).to(device)
    for name, parameter in model.named_parameters():
        parameter.requires_grad = type == "full" or not name.startswith("model.")
    return model, *loaders


def evaluate_model(model, dataloader, device):
    model.eval()
    right = total = 0
    with torch.no_grad():
        for batch in dataloader:
            logits = model(batch["input_ids"].to(device), batch["attention_mask"].to(device))["logits"]
            right += int((logits.argmax(1).cpu() == batch["labels"]).sum())
            total += len(batch["labels"])
    return {"accuracy": right / total}


def train(mymodel, num_epochs, train_dataloader, validation_dataloader, test_dataloder, device, lr, model_name):
    optimizer = optim.AdamW(mymodel.parameters(), lr=lr)
    loss_fn = nn.CrossEntropyLoss()
    for epoch in range(num_epochs):
        mymodel.train()
        for batch in train_dataloader:
            optimizer.zero_grad()
            logits = mymodel(batch["input_ids"].to(device), batch["attention_mask"].to(device))["logits"]
            loss_fn(logits, batch["labels"].to(device)).backward()
            optimizer.step()
        print(model_name, epoch, evaluate_model(mymodel, validation_dataloader, device))
    print(model_name, evaluate_model(mymodel, test_dataloder, device))
