import torch
from sklearn.metrics import accuracy_score
from torch.utils.data import Dataset
from transformers import get_linear_schedule_with_warmup


class BoolQADataset(Dataset):
    """Pairs are given to the tokenizer as pairs, so it chooses the separator of its model."""

    def __init__(self, passages, questions, answers, tokenizer, max_len):
        self.rows = list(zip(questions, passages, answers))
        self.encode = lambda q, p: tokenizer(
            q, p, truncation="only_second", max_length=max_len, padding="max_length", return_tensors="pt"
        )

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, n):
        question, passage, answer = self.rows[n]
        encoded = self.encode(question, passage)
        return dict(
            input_ids=encoded.input_ids.squeeze(0),
            attention_mask=encoded.attention_mask.squeeze(0),
            labels=torch.LongTensor([answer]).squeeze(),
        )


def evaluate_model(model, dataloader, device):
    model.eval()
    truth, guessed = [], []
    for batch in dataloader:
        batch = {k: v.to(device) for k, v in batch.items()}
        with torch.no_grad():
            outputs = model(**batch)
        guessed += outputs.logits.max(dim=-1).indices.tolist()
        truth += batch["labels"].tolist()
    return {"accuracy": accuracy_score(truth, guessed)}


def train(mymodel, num_epochs, train_dataloader, validation_dataloader, test_dataloder, device, lr, small_subset=False):
    decay = [p for n, p in mymodel.named_parameters() if "bias" not in n]
    rest = [p for n, p in mymodel.named_parameters() if "bias" in n]
    optimizer = torch.optim.AdamW(
        [{"params": decay, "weight_decay": 0.01}, {"params": rest, "weight_decay": 0.0}], lr=lr
    )
    steps = num_epochs * len(train_dataloader)
    scheduler = get_linear_schedule_with_warmup(optimizer, steps // 10, steps)
    best = 0
    for epoch in range(1, num_epochs + 1):
        mymodel.train()
        for batch in train_dataloader:
            outputs = mymodel(**{k: v.to(device) for k, v in batch.items()})
            outputs[0].backward()
            optimizer.step()
            scheduler.step()
            optimizer.zero_grad(set_to_none=True)
        score = evaluate_model(mymodel, validation_dataloader, device)["accuracy"]
        if score > best:
            best = score
            torch.save(mymodel.state_dict(), "best.pt")
        print(f"[{epoch}/{num_epochs}] dev accuracy {score:.4f}")
    print("test accuracy", evaluate_model(mymodel, test_dataloder, device)["accuracy"])
    return best
