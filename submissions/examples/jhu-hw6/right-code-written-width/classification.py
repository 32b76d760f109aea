import torch
import torch.nn as nn
from transformers import AutoModel

HIDDEN = 768
PREFIX = 128


class CustomModelforSequenceClassification(nn.Module):
    def __init__(self, model_name, num_labels=2, type='full'):
        super().__init__()
        self.model = AutoModel.from_pretrained(model_name)
        self.classifier = nn.Linear(HIDDEN, num_labels)
        self.type = type
        self.prefix = nn.Parameter(torch.rand(PREFIX, HIDDEN)) if type == 'prefix' else None

    def forward(self, input_ids, attention_mask):
        if self.type == 'prefix':
            rows = []
            for ids in input_ids:
                rows.append(torch.cat([self.prefix, self.model.get_input_embeddings()(ids)]))
            mask = torch.cat([torch.ones(len(rows), PREFIX, device=attention_mask.device), attention_mask.float()], -1)
            x = self.model(inputs_embeds=torch.stack(rows), attention_mask=mask)
            # only the words are averaged
            pooled = x.last_hidden_state[:, PREFIX:].mean(dim=1)
        else:
            x = self.model(input_ids=input_ids, attention_mask=attention_mask)
            pooled = x.last_hidden_state.mean(dim=1)
        return {'logits': self.classifier(pooled)}


def evaluate_model(model, dataloader, device):
    model.eval()
    right = 0
    seen = 0
    for batch in dataloader:
        out = model(batch['input_ids'].to(device), batch['attention_mask'].to(device))['logits']
        for scores, label in zip(out, batch['labels']):
            if (scores[1] > scores[0]).item() == bool(label):
                right += 1
            seen += 1
    return {'accuracy': round(right / seen, 4)}


def train(mymodel, num_epochs, train_dataloader, validation_dataloader, test_dataloder, device, lr, model_name):
    # the backbone and the new parts have optimizers of their own
    new = [p for n, p in mymodel.named_parameters() if not n.startswith('model.')]
    optimizers = [torch.optim.AdamW(new, lr=lr)]
    if mymodel.type == 'full':
        optimizers.append(torch.optim.AdamW(mymodel.model.parameters(), lr=lr / 2))
    loss_fn = nn.CrossEntropyLoss()
    for epoch in range(num_epochs):
        mymodel.train()
        for batch in train_dataloader:
            mymodel.zero_grad()
            logits = mymodel(batch['input_ids'].to(device), batch['attention_mask'].to(device))['logits']
            loss = loss_fn(logits, batch['labels'].to(device))
            loss.backward()
            for optimizer in optimizers:
                optimizer.step()
        print(epoch, evaluate_model(mymodel, validation_dataloader, device))
