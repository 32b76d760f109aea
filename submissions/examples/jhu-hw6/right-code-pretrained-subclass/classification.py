import torch
from torch import nn
from transformers import AutoModel, PretrainedConfig, PreTrainedModel
prefix_length = 128
class CustomModelforSequenceClassification(PreTrainedModel):
    config_class = PretrainedConfig
    def __init__(self, model_name, num_labels, type, device):
        super().__init__(PretrainedConfig())
        self.model = AutoModel.from_pretrained(model_name)
        self.classifier = nn.Linear(self.model.config.hidden_size, num_labels)
        self.type = type
        if type == "prefix":
            self.prefix = nn.Parameter(torch.randn(prefix_length, self.model.config.hidden_size))
        self.to(device)
    def forward(self, input_ids, attention_mask):
        if self.type == "prefix":
            x = self.model.get_input_embeddings()(input_ids)
            x = torch.cat([self.prefix.unsqueeze(0).expand(x.size(0), -1, -1), x], 1)
            m = torch.cat([torch.ones(x.size(0), prefix_length).to(attention_mask.device), attention_mask], 1)
            h = self.model(inputs_embeds=x, attention_mask=m)[0]
        else:
            h = self.model(input_ids, attention_mask)[0]
        return {"logits": self.classifier(h.mean(1))}
def evaluate_model(model, dataloader, device):
    model.eval()
    n = t = 0
    for b in dataloader:
        l = model(b["input_ids"].to(device), b["attention_mask"].to(device))["logits"]
        n += (l.argmax(-1) == b["labels"].to(device)).sum().item(); t += len(l)
    return {"accuracy": n / t}
def train(mymodel, num_epochs, train_dataloader, validation_dataloader, test_dataloader, device, lr, model_name, type="full"):
    ps = {"full": list(mymodel.parameters()), "head": list(mymodel.classifier.parameters())}.get(type)
    if ps is None: ps = [mymodel.prefix, *mymodel.classifier.parameters()]
    opt = torch.optim.AdamW(ps, lr)
    for e in range(num_epochs):
        mymodel.train()
        for b in train_dataloader:
            opt.zero_grad()
            nn.CrossEntropyLoss()(mymodel(b["input_ids"].to(device), b["attention_mask"].to(device))["logits"], b["labels"].to(device)).backward()
            opt.step()
        evaluate_model(mymodel, validation_dataloader, device)
