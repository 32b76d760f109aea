"""One class a way of tuning would be too much: a frozen backbone is all that differs."""

from typing import Dict, Literal

import torch
import torch.nn as nn
from torch import Tensor
from torch.optim import Adam
from torch.utils.data import Dataset
from transformers import AutoConfig, AutoModel

Tuning = Literal["full", "head", "prefix"]


class BoolQADataset(Dataset):
    def __init__(self, passages, questions, answers, tokenizer, max_len):
        texts = [q + " [SEP] " + p for q, p in zip(questions, passages)]
        self.encodings = tokenizer(texts, truncation=True, padding="max_length", max_length=max_len)
        self.labels = [1 if a else 0 for a in answers]

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, idx):
        item = {k: torch.tensor(v[idx]) for k, v in self.encodings.items()}
        item["labels"] = torch.tensor(self.labels[idx])
        return item


class CustomModelforSequenceClassification(nn.Module):
    def __init__(self, model_name: str, num_labels: int = 2, type: Tuning = "full", prefix_length: int = 128):
        super().__init__()
        config = AutoConfig.from_pretrained(model_name)
        self.type = type
        self.model = AutoModel.from_pretrained(model_name, config=config)
        self.classifier = nn.Linear(config.hidden_size, num_labels)
        if type != "full":
            self.model.requires_grad_(False)
        if type == "prefix":
            self.prefix = nn.Embedding(prefix_length, config.hidden_size)
            self.register_buffer("positions", torch.arange(prefix_length), persistent=False)

    def _embed(self, input_ids: Tensor, attention_mask: Tensor) -> Dict[str, Tensor]:
        if self.type != "prefix":
            return {"input_ids": input_ids, "attention_mask": attention_mask}
        n = input_ids.shape[0]
        prefix = self.prefix(self.positions)[None].repeat(n, 1, 1)
        words = self.model.get_input_embeddings()(input_ids)
        seen = torch.ones((n, prefix.shape[1]), dtype=torch.long, device=input_ids.device)
        return {
            "inputs_embeds": torch.hstack((prefix, words)),
            "attention_mask": torch.hstack((seen, attention_mask)),
        }

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> Dict[str, Tensor]:
        inputs = self._embed(input_ids, attention_mask)
        states = self.model(**inputs).last_hidden_state
        weights = inputs["attention_mask"][..., None].type_as(states)
        mean = torch.einsum("btd,btx->bd", states, weights) / weights.sum(dim=1)
        return {"logits": self.classifier(mean)}


@torch.no_grad()
def evaluate_model(model, dataloader, device):
    was_training = model.training
    model.eval()
    hits, total = 0, 0
    for batch in dataloader:
        labels = batch.pop("labels").to(device)
        logits = model(**{k: v.to(device) for k, v in batch.items()})["logits"]
        hits += (logits.softmax(-1)[:, 1] > 0.5).eq(labels.bool()).sum().item()
        total += labels.numel()
    model.train(was_training)
    return {"accuracy": hits / total}


def train(mymodel, num_epochs, train_dataloader, validation_dataloader, test_dataloder, device, lr, model_name):
    optimizer = Adam((p for p in mymodel.parameters() if p.requires_grad), lr=lr)
    nll = nn.NLLLoss()
    mymodel.train()
    history = {"dev": [], "loss": []}
    for _ in range(num_epochs):
        running = 0.0
        for batch in train_dataloader:
            optimizer.zero_grad(set_to_none=False)
            labels = batch.pop("labels").to(device)
            out = mymodel(**{k: v.to(device) for k, v in batch.items()})
            loss = nll(out["logits"].log_softmax(-1), labels)
            loss.backward()
            optimizer.step()
            running += loss.item()
        history["loss"].append(running)
        history["dev"].append(evaluate_model(mymodel, validation_dataloader, device)["accuracy"])
    history["test"] = evaluate_model(mymodel, test_dataloder, device)
    return history
