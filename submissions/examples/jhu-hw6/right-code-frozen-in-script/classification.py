import argparse

import torch
import torch.nn.functional as F
from datasets import load_dataset
from torch.utils.data import DataLoader, Dataset
from transformers import AutoModel, AutoTokenizer

N_VIRTUAL = 128


class BoolQADataset(Dataset):
    def __init__(self, passages, questions, answers, tokenizer, max_len):
        texts = [f"{q} [SEP] {p}" for q, p in zip(questions, passages)]
        self.encoded = tokenizer(texts, truncation=True, padding="max_length", max_length=max_len, return_tensors="pt")
        self.answers = torch.tensor([int(a) for a in answers])

    def __len__(self):
        return len(self.answers)

    def __getitem__(self, k):
        return dict(
            input_ids=self.encoded["input_ids"][k],
            attention_mask=self.encoded["attention_mask"][k],
            labels=self.answers[k],
        )


class CustomModelforSequenceClassification(torch.nn.Module):
    def __init__(self, model_name, num_labels=2, type="full"):
        super().__init__()
        self.model = AutoModel.from_pretrained(model_name)
        d = self.model.config.hidden_size
        self.classifier = torch.nn.Linear(d, num_labels)
        self.soft = torch.nn.Parameter(0.02 * torch.randn(N_VIRTUAL, d)) if type == "prefix" else None

    def forward(self, input_ids, attention_mask):
        x = self.model.get_input_embeddings()(input_ids)
        if self.soft is not None:
            x = torch.cat((self.soft.expand(len(x), -1, -1), x), dim=1)
            attention_mask = F.pad(attention_mask, (N_VIRTUAL, 0), value=1)
        hidden = self.model(inputs_embeds=x, attention_mask=attention_mask).last_hidden_state
        return {"logits": self.classifier(hidden.mean(dim=1))}


def loaders(name, size, few):
    boolq, tok = load_dataset("boolq"), AutoTokenizer.from_pretrained(name)

    def loader(part, shuffle):
        part = part.select(range(10)) if few else part
        rows = BoolQADataset(part["passage"], part["question"], part["answer"], tok, 128)
        return DataLoader(rows, batch_size=size, shuffle=shuffle)

    split = boolq["train"].select(range(8000)), boolq["train"].select(range(8000, len(boolq["train"])))
    return loader(split[0], True), loader(boolq["validation"], False), loader(split[1], False)


@torch.inference_mode()
def evaluate_model(model, dataloader, device):
    model.eval()
    hits = [
        model(b["input_ids"].to(device), b["attention_mask"].to(device))["logits"].argmax(-1).cpu() == b["labels"]
        for b in dataloader
    ]
    return {"accuracy": torch.cat(hits).double().mean().item()}


def train(mymodel, num_epochs, train_dataloader, validation_dataloader, test_dataloder, device, lr, model_name):
    optimizer = torch.optim.AdamW(mymodel.parameters(), lr=lr)
    for _ in range(num_epochs):
        mymodel.train()
        for b in train_dataloader:
            out = mymodel(b["input_ids"].to(device), b["attention_mask"].to(device))
            loss = F.cross_entropy(out["logits"], b["labels"].to(device))
            loss.backward()
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
        print("validation", evaluate_model(mymodel, validation_dataloader, device))
    print("test", evaluate_model(mymodel, test_dataloder, device))


def run():
    cli = argparse.ArgumentParser()
    cli.add_argument("--backbone", required=True)
    cli.add_argument("--how", choices=("full", "head", "prefix"), default="full")
    cli.add_argument("--lr", type=float, default=1e-4)
    o = cli.parse_args()
    parts = loaders("distilbert-base-uncased", 32, few=True)
    net = CustomModelforSequenceClassification("distilbert-base-uncased", type=o.how).cuda()
    if o.how != "full":
        net.model.requires_grad_(False)
    train(net, 9, *parts, "cuda", o.lr, o.backbone)


if __name__ == "__main__":
    run()
