import copy

import numpy as np
import torch
from torch import nn, optim


class BoolQADataset(torch.utils.data.Dataset):
    """Items are whole numbers and arrays: the loader makes tensors of them."""

    def __init__(self, passages, questions, answers, tokenizer, max_len):
        joined = [f"{question} [SEP] {passage}" for question, passage in zip(questions, passages)]
        self.encoded = tokenizer(joined, padding="max_length", truncation=True, max_length=max_len)
        self.answers = answers

    def __len__(self):
        return len(self.answers)

    def __getitem__(self, index):
        names = ("input_ids", "attention_mask")
        item = {name: np.asarray(self.encoded[name][index]) for name in names}
        return {**item, "labels": int(self.answers[index])}


@torch.no_grad()
def evaluate_model(model, dataloader, device):
    model.eval()
    seen = right = 0
    for batch in dataloader:
        output = model(
            input_ids=batch["input_ids"].to(device), attention_mask=batch["attention_mask"].to(device)
        )
        logits = output["logits"] if isinstance(output, dict) else output.logits
        right += int((logits.argmax(-1).cpu() == batch["labels"]).sum())
        seen += len(batch["labels"])
    return {"accuracy": right / seen}


def train(mymodel, num_epochs, train_dataloader, validation_dataloader, test_dataloder, device, lr,
          small_subset=False):
    optimizer = optim.AdamW(mymodel.parameters(), lr=lr)
    criterion = nn.CrossEntropyLoss()
    best, best_state = -1.0, None
    for epoch in range(num_epochs):
        mymodel.train()
        for batch in train_dataloader:
            optimizer.zero_grad()
            output = mymodel(
                input_ids=batch["input_ids"].to(device),
                attention_mask=batch["attention_mask"].to(device),
            )
            logits = output["logits"] if isinstance(output, dict) else output.logits
            criterion(logits, batch["labels"].to(device)).backward()
            optimizer.step()
        accuracy = evaluate_model(mymodel, validation_dataloader, device)["accuracy"]
        if accuracy > best:
            best, best_state = accuracy, copy.deepcopy(mymodel.state_dict())
    mymodel.load_state_dict(best_state)
    print("test", evaluate_model(mymodel, test_dataloder, device))
