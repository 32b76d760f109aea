import torch
from torch.nn.utils import clip_grad_norm_

from .options import options


class Loop:
    def __init__(self, model, device, lr):
        self.model, self.device = model, device
        tuned = {
            "head": [model.classifier],
            "prefix": [model.classifier, model],
        }.get(getattr(model, "type", "full"), None)
        if tuned is None:
            self.tuned = list(model.parameters())
        else:
            self.tuned = list(model.classifier.parameters())
            if model.type == "prefix":
                self.tuned.append(model.prefix)
        self.optimizer = torch.optim.NAdam(self.tuned, lr=lr)
        self.criterion = torch.nn.CrossEntropyLoss()

    def logits(self, batch):
        out = self.model(batch["input_ids"].to(self.device), attention_mask=batch["attention_mask"].to(self.device))
        return out["logits"]

    def step(self, batch):
        self.model.train()
        loss = self.criterion(self.logits(batch), batch["labels"].to(self.device))
        self.optimizer.zero_grad()
        loss.backward()
        clip_grad_norm_(self.tuned, options.clip)
        self.optimizer.step()
        return loss.detach()


def evaluate_model(model, dataloader, device):
    model.eval()
    table = torch.zeros(2, 2, dtype=torch.long)
    for batch in dataloader:
        out = model(batch["input_ids"].to(device), attention_mask=batch["attention_mask"].to(device))
        for guess, label in zip(out["logits"].detach().argmax(-1), batch["labels"]):
            table[int(guess), int(label)] += 1
    return {"accuracy": float(table.trace() / table.sum()), "table": table.tolist()}


def train(mymodel, num_epochs, train_dataloader, validation_dataloader, test_dataloder, device, lr, *rest):
    loop = Loop(mymodel, device, lr)
    for epoch in range(num_epochs):
        losses = [loop.step(batch) for batch in train_dataloader]
        print(epoch, sum(losses) / len(losses), evaluate_model(mymodel, validation_dataloader, device))
    print(evaluate_model(mymodel, test_dataloder, device))
