import torch
from torch import nn
from transformers import AutoModel

from .options import options


class CustomModelforSequenceClassification(nn.Module):
    def __init__(self, model_name, num_labels=2, type="full"):
        super().__init__()
        self.type = type
        self.model = AutoModel.from_pretrained(model_name)
        self.classifier = nn.Linear(self.model.config.hidden_size, num_labels)
        self.prefix = None
        if type == "prefix":
            self.prefix = nn.Parameter(torch.randn(options.prefix_length, self.model.config.hidden_size))

    def forward(self, input_ids, attention_mask):
        inputs = {"input_ids": input_ids, "attention_mask": attention_mask}
        if self.prefix is not None:
            inputs = self.with_prefix(**inputs)
        hidden = self.model(**inputs, output_hidden_states=True).hidden_states[-1]
        return {"logits": self.classifier(hidden.mean(-2))}

    def with_prefix(self, input_ids, attention_mask):
        prefix = torch.tile(self.prefix, (len(input_ids), 1, 1))
        words = nn.functional.embedding(input_ids, self.model.get_input_embeddings().weight)
        ones = attention_mask.new_full(prefix.shape[:-1], 1)
        return {
            "inputs_embeds": torch.cat((prefix, words), -2),
            "attention_mask": torch.cat((ones, attention_mask), -1),
        }
