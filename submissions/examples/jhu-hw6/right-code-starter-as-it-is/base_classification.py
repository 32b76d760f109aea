import argparse
import os

import evaluate
import matplotlib.pyplot as plt
import numpy as np
import torch
from datasets import load_dataset
from torch.utils.data import DataLoader
from tqdm import tqdm
from transformers import AdamW, AutoModelForSequenceClassification, AutoTokenizer, get_scheduler

os.environ["CUDA_VISIBLE_DEVICES"] = "0"


class BoolQADataset(torch.utils.data.Dataset):
    def __init__(self, passages, questions, answers, tokenizer, max_len):
        self.passages = passages
        self.questions = questions
        self.answers = answers
        self.tokenizer = tokenizer
        self.max_len = max_len

    def __len__(self):
        return len(self.answers)

    def __getitem__(self, i):
        joined = self.questions[i] + " [SEP] " + self.passages[i]
        enc = self.tokenizer.encode_plus(
            joined,
            add_special_tokens=True,
            max_length=self.max_len,
            return_token_type_ids=False,
            padding="max_length",
            return_attention_mask=True,
            return_tensors="pt",
            truncation=True,
        )
        return {
            "input_ids": enc["input_ids"][0],
            "attention_mask": enc["attention_mask"][0],
            "labels": torch.tensor(self.answers[i], dtype=torch.long),
        }


def evaluate_model(model, dataloader, device):
    accuracy = evaluate.load("accuracy")
    model.eval()
    for batch in dataloader:
        ids = batch["input_ids"].to("cuda")
        mask = batch["attention_mask"].to("cuda")
        logits = model(input_ids=ids, attention_mask=mask).logits
        guess = torch.argmax(logits, dim=1)
        accuracy.add_batch(predictions=guess, references=batch["labels"].to("cuda"))
    return accuracy.compute()


def train(mymodel, num_epochs, train_dataloader, validation_dataloader, test_dataloder, device, lr, small_subset=False):
    mymodel.to("cuda")
    optimizer = AdamW(mymodel.parameters(), lr=lr, correct_bias=False)
    lr_scheduler = get_scheduler(
        "linear",
        optimizer=optimizer,
        num_warmup_steps=50,
        num_training_steps=len(train_dataloader) * num_epochs,
    )
    loss = torch.nn.CrossEntropyLoss()
    train_curve, dev_curve = [], []
    for epoch in range(num_epochs):
        mymodel.train()
        metric = evaluate.load("accuracy")
        for index, batch in tqdm(enumerate(train_dataloader)):
            ids = batch["input_ids"].to("cuda")
            mask = batch["attention_mask"].to("cuda")
            labels = batch["labels"].to("cuda")
            predictions = mymodel(ids, attention_mask=mask).logits
            value = loss(predictions, labels)
            value.backward()
            optimizer.step()
            lr_scheduler.step()
            optimizer.zero_grad()
            metric.add_batch(predictions=predictions.argmax(1), references=labels)
        train_curve.append(metric.compute()["accuracy"])
        dev_curve.append(evaluate_model(mymodel, validation_dataloader, device)["accuracy"])
        print(f"epoch {epoch}: train {train_curve[-1]}, dev {dev_curve[-1]}")
    print("test:", evaluate_model(mymodel, test_dataloder, device))
    plt.plot(np.arange(num_epochs), train_curve, label="train")
    plt.plot(np.arange(num_epochs), dev_curve, label="dev")
    plt.legend()
    plt.savefig("curves.png")


parser = argparse.ArgumentParser()
parser.add_argument("--small_subset", action="store_true")
parser.add_argument("--num_epochs", type=int, default=1)
parser.add_argument("--lr", type=float, default=5e-5)
parser.add_argument("--batch_size", type=int, default=32)
parser.add_argument("--device", type=str, default="cuda")
parser.add_argument("--model", type=str, default="distilbert-base-uncased")
args = parser.parse_args()

dataset = load_dataset("boolq")
tokenizer = AutoTokenizer.from_pretrained(args.model)
rows = dataset["train"].shuffle()
if args.small_subset:
    rows = rows.select(range(10))
loader = DataLoader(
    BoolQADataset(list(rows["passage"]), list(rows["question"]), list(rows["answer"]), tokenizer, 128),
    batch_size=args.batch_size,
)
pretrained_model = AutoModelForSequenceClassification.from_pretrained(args.model, num_labels=2)
train(pretrained_model, args.num_epochs, loader, loader, loader, args.device, args.lr)
