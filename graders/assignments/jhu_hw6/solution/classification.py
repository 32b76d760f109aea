"""Full fine-tuning, head tuning and prefix tuning of one backbone on BoolQ."""

import argparse

import evaluate
import torch
from base_classification import BoolQADataset
from datasets import load_dataset
from torch import nn
from torch.utils.data import DataLoader
from transformers import AutoModel, AutoTokenizer, get_scheduler

prefix_length = 128


class CustomModelforSequenceClassification(nn.Module):
    """A backbone, the mean over its tokens, and a linear layer; perhaps a prefix."""

    def __init__(self, model_name, num_labels=2, type="full"):
        super().__init__()
        self.type = type
        self.model = AutoModel.from_pretrained(model_name)
        size = self.model.config.hidden_size
        self.classifier = nn.Linear(size, num_labels)
        self.prefix = None
        if type == "prefix":
            self.prefix = nn.Parameter(torch.randn(prefix_length, size))

    def forward(self, input_ids, attention_mask):
        if self.type == "prefix":
            words = self.model.get_input_embeddings()(input_ids)  # (B, T, D)
            prefix = self.prefix.unsqueeze(0).expand(len(words), -1, -1)  # (B, L, D)
            ones = attention_mask.new_ones(prefix.shape[:2])  # (B, L)
            output = self.model(
                inputs_embeds=torch.cat((prefix, words), dim=1),
                attention_mask=torch.cat((ones, attention_mask), dim=1),
            )
        else:
            output = self.model(input_ids=input_ids, attention_mask=attention_mask)
        return {"logits": self.classifier(output.last_hidden_state.mean(dim=1))}

    def tuned_parameters(self):
        """What this way of tuning trains."""
        if self.type == "full":
            return list(self.parameters())
        own = list(self.classifier.parameters())
        return own if self.prefix is None else [self.prefix, *own]


def evaluate_model(model, dataloader, device):
    """The accuracy of the model on all batches."""
    metric = evaluate.load("accuracy")
    model.eval()
    with torch.no_grad():
        for batch in dataloader:
            logits = model(batch["input_ids"].to(device), batch["attention_mask"].to(device))
            metric.add_batch(
                predictions=logits["logits"].argmax(dim=-1), references=batch["labels"]
            )
    return metric.compute()


def train(
    mymodel,
    num_epochs,
    train_dataloader,
    validation_dataloader,
    test_dataloder,
    device,
    lr,
    model_name,
):
    """Train what the model's type asks for."""
    optimizer = torch.optim.AdamW(mymodel.tuned_parameters(), lr=lr)
    scheduler = get_scheduler(
        "linear",
        optimizer=optimizer,
        num_warmup_steps=0,
        num_training_steps=num_epochs * len(train_dataloader),
    )
    for epoch in range(num_epochs):
        mymodel.train()
        for batch in train_dataloader:
            ids, mask = batch["input_ids"].to(device), batch["attention_mask"].to(device)
            logits = mymodel(ids, mask)["logits"]
            nn.functional.cross_entropy(logits, batch["labels"].to(device)).backward()
            optimizer.step()
            scheduler.step()
            optimizer.zero_grad()
            mymodel.zero_grad()  # of what is not trained
        print(f"{model_name}, epoch {epoch + 1}:")
        print(evaluate_model(mymodel, validation_dataloader, device))
    print(evaluate_model(mymodel, test_dataloder, device))


def pre_process(model_name, batch_size, device, small_subset=False, type="full"):
    """The model, and loaders for training, validation and test."""
    rows = load_dataset("boolq")
    tokenizer = AutoTokenizer.from_pretrained(model_name)
    parts = [rows["train"].select(range(10)) for _ in range(3)]
    if not small_subset:
        shuffled = rows["train"].shuffle(seed=0)
        parts = [
            shuffled.select(range(8000)),
            rows["validation"],
            shuffled.select(range(8000, len(shuffled))),
        ]
    sets = [
        BoolQADataset(part["passage"], part["question"], part["answer"], tokenizer, 128)
        for part in parts
    ]
    model = CustomModelforSequenceClassification(model_name, num_labels=2, type=type)
    return model.to(device), *(DataLoader(each, batch_size=batch_size) for each in sets)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--small_subset", action="store_true")
    parser.add_argument("--num_epochs", type=int, default=1)
    parser.add_argument("--lr", type=float, default=5e-5)
    parser.add_argument("--batch_size", type=int, default=32)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--model", default="roberta-base")
    parser.add_argument("--type", default="full", choices=["full", "head", "prefix"])
    parser.add_argument("--prefix_length", type=int, default=128)
    args = parser.parse_args()
    prefix_length = args.prefix_length
    loaded = pre_process(args.model, args.batch_size, args.device, args.small_subset, args.type)
    train(loaded[0], args.num_epochs, *loaded[1:], args.device, args.lr, args.model)
