import torch
import torch.nn.functional as F
from torch.optim import Adam


def scores(model, batch, device):
    return model(batch["input_ids"].to(device), batch["attention_mask"].to(device))


def evaluate_model(model, dataloader, device):
    model.eval()
    hits = []
    for batch in dataloader:
        with torch.no_grad():
            out = scores(model, batch, device)
        logits = getattr(out, "logits", None)
        logits = out["logits"] if logits is None else logits
        hits.extend((logits.cpu().argmax(dim=1) == batch["labels"].cpu()).tolist())
    return dict(accuracy=sum(hits) / len(hits))


def train(mymodel, num_epochs, train_dataloader, validation_dataloader, device, lr):
    # the test set is looked at once, by the script
    optimizer, history = Adam(mymodel.parameters(), lr), []
    for _ in range(num_epochs):
        mymodel.train()
        for batch in train_dataloader:
            out = scores(mymodel, batch, device)
            logits = getattr(out, "logits", None)
            loss = F.cross_entropy(out["logits"] if logits is None else logits, batch["labels"].to(device))
            loss.backward()
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
        history.append(evaluate_model(mymodel, validation_dataloader, device)["accuracy"])
    return history
