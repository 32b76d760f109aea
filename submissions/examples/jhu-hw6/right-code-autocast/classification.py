import evaluate
import torch
import torch.nn.functional as F
from torch import nn
from torch.optim.lr_scheduler import OneCycleLR
from transformers import AutoModel

AMP = torch.bfloat16


class CustomModelforSequenceClassification(nn.Module):

    POOLED = {"full", "head"}

    def __init__(self, model_name, num_labels=2, type="full"):
        super().__init__()
        assert type in self.POOLED | {"prefix"}
        self.model = AutoModel.from_pretrained(model_name)
        d = self.model.embeddings.word_embeddings.embedding_dim
        self.classifier = nn.Linear(d, num_labels)
        self.type = type
        length = prefix_length if type == "prefix" else 0
        self.prefix = nn.Parameter(torch.empty(1, length, d).normal_(std=0.5))
        for p in self.model.parameters():
            p.requires_grad = type == "full"

    def forward(self, input_ids, attention_mask):
        B, T = input_ids.shape
        if self.type in self.POOLED:
            h = self.model(input_ids, attention_mask=attention_mask)[0]
        else:
            L = self.prefix.shape[1]
            embeds = input_ids.new_zeros((B, L + T, self.prefix.shape[2]), dtype=torch.float)
            embeds[:, :L] = self.prefix
            embeds[:, L:] = self.model.embeddings.word_embeddings(input_ids)
            h = self.model(inputs_embeds=embeds, attention_mask=F.pad(attention_mask, (L, 0), value=1))[0]
        return {"logits": self.classifier(h.sum(1) / h.size(1))}


def evaluate_model(model, dataloader, device):
    metric = evaluate.load("accuracy")
    model.eval()
    with torch.inference_mode(), torch.autocast(device_type=device.type, dtype=AMP):
        for batch in dataloader:
            scores = model(batch["input_ids"].to(device), batch["attention_mask"].to(device))["logits"]
            metric.add_batch(predictions=scores.float().argmax(-1).cpu().numpy(), references=batch["labels"].numpy())
    result = metric.compute()
    return result


def train(mymodel, num_epochs, train_dataloader, validation_dataloader, test_dataloder, device, lr, model_name):
    trained = [p for p in mymodel.parameters() if p.requires_grad and p.numel()]
    optimizer = torch.optim.AdamW(trained, lr=lr, weight_decay=0.01)
    scheduler = OneCycleLR(optimizer, max_lr=lr, total_steps=num_epochs * len(train_dataloader) + 1)
    scaler = torch.cuda.amp.GradScaler()
    for epoch in range(num_epochs):
        mymodel.train(True)
        for batch in train_dataloader:
            batch = {k: v.to(device, non_blocking=True) for k, v in batch.items()}
            labels = batch.pop("labels")
            optimizer.zero_grad()
            with torch.autocast(device_type=device.type, dtype=AMP):
                logits = mymodel(**batch)["logits"]
                loss = F.cross_entropy(logits, labels, reduction="sum")
            scaler.scale(loss).backward()
            scaler.unscale_(optimizer)
            nn.utils.clip_grad_norm_(trained, 1.0)
            scaler.step(optimizer)
            scaler.update()
            scheduler.step()
        print(f"epoch {epoch}", evaluate_model(mymodel, validation_dataloader, device))
    return evaluate_model(mymodel, test_dataloder, device)
