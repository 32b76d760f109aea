import evaluate
import torch
from torch import nn
from transformers import AutoModel

prefix_length = 128


class CustomModelforSequenceClassification(nn.Module):
    def __init__(self, model_name, num_labels=2, type="full"):
        super().__init__()
        self.type = type
        self.model = AutoModel.from_pretrained(model_name)
        size = self.model.config.hidden_size
        self.classifier = nn.Sequential(nn.Linear(size, size), nn.Linear(size, num_labels))
        self.prefix = nn.Parameter(torch.randn(prefix_length, size))

    def forward(self, input_ids, attention_mask):
        if self.type == "prefix":
            words = self.model.get_input_embeddings()(input_ids)
            prefix = self.prefix.unsqueeze(0).repeat(input_ids.shape[0], 1, 1)
            ones = torch.ones(prefix.shape[:2], dtype=attention_mask.dtype, device=attention_mask.device)
            outputs = self.model(
                inputs_embeds=torch.cat([prefix, words], dim=1),
                attention_mask=torch.cat([ones, attention_mask], dim=1),
            )
        else:
            outputs = self.model(input_ids=input_ids, attention_mask=attention_mask)
        pooled = outputs.last_hidden_state.mean(dim=1)
        return {"logits": self.classifier(pooled)}


def evaluate_model(model, dataloader, device):
    metric = evaluate.load("accuracy")
    model.eval()
    for batch in dataloader:
        with torch.no_grad():
            output = model(batch["input_ids"].to(device), batch["attention_mask"].to(device))
        metric.add_batch(predictions=output["logits"].argmax(-1), references=batch["labels"])
    return metric.compute()


def train(mymodel, num_epochs, train_dataloader, validation_dataloader, test_dataloder, device, lr, model_name):
    parameters = list(mymodel.parameters())
    if mymodel.type == "head":
        parameters = list(mymodel.classifier.parameters())
    if mymodel.type == "prefix":
        parameters = [mymodel.prefix] + list(mymodel.classifier.parameters())
    optimizer = torch.optim.AdamW(parameters, lr=lr)
    loss = nn.CrossEntropyLoss()
    for epoch in range(num_epochs):
        mymodel.train()
        for batch in train_dataloader:
            output = mymodel(batch["input_ids"].to(device), batch["attention_mask"].to(device))
            value = loss(output["logits"], batch["labels"].to(device))
            value.backward()
            optimizer.step()
            optimizer.zero_grad()
        print(epoch, evaluate_model(mymodel, validation_dataloader, device))
    print(evaluate_model(mymodel, test_dataloder, device))
