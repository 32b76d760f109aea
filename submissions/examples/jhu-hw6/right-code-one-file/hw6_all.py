#!/usr/bin/env python
# coding: utf-8
import torch as th
from torch import nn
from torch.nn.functional import cross_entropy as ce
from transformers import AutoModel, AutoModelForSequenceClassification

prefix_length = 128


class BoolQADataset(th.utils.data.Dataset):
    def __init__(self, passages, questions, answers, tokenizer, max_len):
        self.tok, self.n = tokenizer, max_len
        self.data = [(f"{q} [SEP] {p}", int(bool(a))) for p, q, a in zip(passages, questions, answers)]

    __len__ = lambda self: len(self.data)

    def __getitem__(self, i):
        text, label = self.data[i]
        ids = self.tok.encode(text, max_length=self.n, truncation=True)
        pad = self.n - len(ids)
        return {
            "input_ids": th.tensor(ids + [self.tok.pad_token_id] * pad),
            "attention_mask": th.tensor([1] * len(ids) + [0] * pad),
            "labels": th.tensor(label),
        }


class Base(nn.Module):
    def __init__(self, model_name, num_labels):
        nn.Module.__init__(self)
        self.prefix = None
        self.model = AutoModel.from_pretrained(model_name)
        self.d = self.model.config.hidden_size
        self.classifier = nn.Linear(self.d, num_labels)

    def encode(self, ids, mask):
        return self.model(ids, attention_mask=mask)

    def forward(self, input_ids, attention_mask):
        h = self.encode(input_ids, attention_mask).last_hidden_state.transpose(1, 2)
        return {"logits": self.classifier(nn.functional.adaptive_avg_pool1d(h, 1).squeeze(-1))}


class CustomModelforSequenceClassification(Base):
    def __init__(self, model_name, num_labels=2, type="full"):
        Base.__init__(self, model_name, num_labels)
        self.type = type
        if type == "prefix":
            self.prefix = nn.Parameter(th.randn((prefix_length, self.d)))

    def encode(self, ids, mask):
        if self.type != "prefix":
            return Base.encode(self, ids, mask)
        table = self.model.get_input_embeddings().weight
        front = th.stack([self.prefix] * ids.shape[0])
        embeds = th.concat((front, table[ids]), axis=1)
        full = th.ones(embeds.shape[:2], dtype=mask.dtype)
        full[:, front.shape[1]:] = mask
        return self.model(inputs_embeds=embeds, attention_mask=full)


def evaluate_model(model, dataloader, device):
    model.train(False)
    with th.no_grad():
        right = [
            (model(b["input_ids"].to(device), b["attention_mask"].to(device))["logits"].argmax(1).cpu() == b["labels"]).float()
            for b in dataloader
        ]
    return {"accuracy": th.cat(right).mean()}


def train(mymodel, num_epochs, train_dataloader, validation_dataloader, test_dataloder, device, lr, model_name=None):
    kind = getattr(mymodel, "type", "full")
    if kind == "full":
        tuned = [p for p in mymodel.parameters()]
    else:
        tuned = [p for p in (mymodel.prefix, *mymodel.classifier.parameters()) if p is not None]

    def update(batch):
        logits = mymodel(batch["input_ids"].to(device), batch["attention_mask"].to(device))["logits"]
        ce(logits, batch["labels"].to(device)).backward()
        with th.no_grad():
            for p in tuned:
                if p.grad is not None:
                    p -= 10 * lr * p.grad
        mymodel.zero_grad()

    for epoch in range(num_epochs):
        mymodel.train()
        for batch in train_dataloader:
            update(batch)
        print(evaluate_model(mymodel, validation_dataloader, device))
