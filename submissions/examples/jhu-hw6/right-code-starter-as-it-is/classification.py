import argparse

import evaluate
import torch
from torch import nn
from torch.utils.data import DataLoader
from transformers import AutoModel, get_scheduler

from base_classification import BoolQADataset


class CustomModelforSequenceClassification(nn.Module):
    def __init__(self, model_name, num_labels=2, type="full"):
        super(CustomModelforSequenceClassification, self).__init__()
        self.model = AutoModel.from_pretrained(model_name)
        self.prefix = nn.Parameter(torch.randn(prefix_length, self.model.config.hidden_size, requires_grad=True).to("cuda"))
        self.classifier = nn.Linear(self.model.config.hidden_size, num_labels)
        self.num_labels = num_labels
        self.type = type

    def forward(self, input_ids, attention_mask):
        if self.type == "full":
            hidden = self.model(input_ids=input_ids, attention_mask=attention_mask).last_hidden_state
        elif self.type == "head":
            with torch.no_grad():
                hidden = self.model(input_ids=input_ids, attention_mask=attention_mask).last_hidden_state
        elif self.type == "prefix":
            embedded = self.model.embeddings.word_embeddings(input_ids)
            prefix = self.prefix.repeat(input_ids.size(0), 1, 1)
            ones = torch.ones(input_ids.size(0), prefix_length).to("cuda")
            hidden = self.model(
                inputs_embeds=torch.cat([prefix, embedded], 1),
                attention_mask=torch.cat([ones, attention_mask], 1),
            )[0]
        return {"logits": self.classifier(torch.mean(hidden, dim=1))}


def evaluate_model(model, dataloader, device):
    accuracy = evaluate.load("accuracy")
    model.eval()
    for batch in dataloader:
        logits = model(batch["input_ids"].to("cuda"), batch["attention_mask"].to("cuda"))["logits"]
        accuracy.add_batch(predictions=logits.argmax(1), references=batch["labels"].to("cuda"))
    return accuracy.compute()


def train(mymodel, num_epochs, train_dataloader, validation_dataloader, test_dataloder, device, lr, model_name):
    custom = torch.optim.AdamW(mymodel.parameters(), lr=lr)
    lr_scheduler = get_scheduler(
        "linear", optimizer=custom, num_warmup_steps=50, num_training_steps=len(train_dataloader) * num_epochs
    )
    if mymodel.type == "head":
        custom = torch.optim.AdamW(mymodel.classifier.parameters(), lr=lr)
    elif mymodel.type == "prefix":
        custom = torch.optim.AdamW([mymodel.prefix] + list(mymodel.classifier.parameters()), lr=lr)
    loss = nn.CrossEntropyLoss()
    for epoch in range(num_epochs):
        mymodel.train()
        for batch in train_dataloader:
            predictions = mymodel(batch["input_ids"].to("cuda"), batch["attention_mask"].to("cuda"))["logits"]
            loss(predictions, batch["labels"].to("cuda")).backward()
            custom.step()
            lr_scheduler.step()
            custom.zero_grad()
        print(epoch, evaluate_model(mymodel, validation_dataloader, device))
    print(evaluate_model(mymodel, test_dataloder, device))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--small_subset", action="store_true")
    parser.add_argument("--num_epochs", type=int, default=1)
    parser.add_argument("--lr", type=float, default=5e-5)
    parser.add_argument("--batch_size", type=int, default=32)
    parser.add_argument("--device", type=str, default="cuda")
    parser.add_argument("--model", type=str, default="roberta-base")
    parser.add_argument("--type", type=str, default="full")
    parser.add_argument("--prefix_length", type=int, default=128)
    args = parser.parse_args()
    prefix_length = args.prefix_length
    mymodel = CustomModelforSequenceClassification(args.model, 2, args.type)
    mymodel.to(args.device)
