import evaluate
import torch
from torch import nn
from torch.utils.data import Dataset
from transformers import get_scheduler


class BoolQADataset(Dataset):
    def __init__(self, passages, questions, answers, tokenizer, max_len):
        self.passages = passages
        self.questions = questions
        self.answers = answers
        self.tokenizer = tokenizer
        self.max_len = max_len

    def __len__(self):
        return len(self.answers)

    def __getitem__(self, index):
        text = self.questions[index] + " [SEP] " + self.passages[index]
        encoding = self.tokenizer.encode_plus(
            text,
            max_length=self.max_len,
            padding="max_length",
            truncation=True,
            return_tensors="pt",
        )
        return {
            "input_ids": encoding["input_ids"].flatten(),
            "attention_mask": encoding["attention_mask"].flatten(),
            "labels": torch.tensor(self.answers[index], dtype=torch.long),
        }


def evaluate_model(model, dataloader, device):
    model.eval()
    for batch in dataloader:
        ids = batch["input_ids"].to(device)
        mask = batch["attention_mask"].to(device)
        with torch.no_grad():
            logits = model(ids, attention_mask=mask).logits
        metric = evaluate.load("accuracy")
        metric.add_batch(predictions=logits.argmax(dim=1), references=batch["labels"])
    return metric.compute()


def train(mymodel, num_epochs, train_dataloader, validation_dataloader, test_dataloder, device, lr, small_subset=False):
    optimizer = torch.optim.AdamW(mymodel.parameters(), lr=lr)
    steps = num_epochs * len(train_dataloader)
    lr_scheduler = get_scheduler("linear", optimizer=optimizer, num_warmup_steps=0, num_training_steps=steps)
    loss = nn.CrossEntropyLoss()
    for epoch in range(num_epochs):
        mymodel.train()
        for batch in train_dataloader:
            ids = batch["input_ids"].to(device)
            mask = batch["attention_mask"].to(device)
            labels = batch["labels"].to(device)
            predictions = mymodel(ids, attention_mask=mask).logits
            value = loss(predictions, labels)
            value.backward()
            optimizer.step()
            lr_scheduler.step()
            optimizer.zero_grad()
        print(epoch, evaluate_model(mymodel, validation_dataloader, device))
    print(evaluate_model(mymodel, test_dataloder, device))
