import torch
from torch import nn
from transformers import AutoModel
from transformers.modeling_outputs import SequenceClassifierOutput

import base_classification as base
from base_classification import BoolQADataset, evaluate_model

prefix_length = 128


class Prefixed(nn.Module):
    """Puts trained vectors before the embedded words and calls the encoder."""

    def __init__(self, encoder, length):
        super().__init__()
        width = encoder.get_input_embeddings().weight.size(1)
        self.vectors = nn.Parameter(torch.zeros(length, width).uniform_(-1, 1))

    def forward(self, encoder, input_ids, attention_mask):
        vectors = self.vectors.expand(input_ids.size(0), *self.vectors.shape)
        words = encoder.get_input_embeddings().forward(input_ids)
        mask = torch.cat((torch.ones_like(vectors[..., 0], dtype=attention_mask.dtype), attention_mask), dim=1)
        return encoder(attention_mask=mask, inputs_embeds=torch.cat((vectors, words), dim=1))


class CustomModelforSequenceClassification(nn.Module):
    def __init__(self, model_name, num_labels=2, type="full"):
        super().__init__()
        self.add_module("model", AutoModel.from_pretrained(model_name))
        self.classifier = nn.Linear(self.model.config.hidden_size, num_labels)
        self.prefix = Prefixed(self.model, prefix_length) if type == "prefix" else None
        self.type = type

    def forward(self, input_ids, attention_mask, labels=None):
        if self.prefix is None:
            encoded = self.model(input_ids, attention_mask)
        else:
            encoded = self.prefix(self.model, input_ids, attention_mask)
        logits = self.classifier(encoded.last_hidden_state.mean(1))
        loss = nn.functional.cross_entropy(logits, labels) if labels is not None else None
        return SequenceClassifierOutput(loss=loss, logits=logits)


def train(mymodel, num_epochs, train_dataloader, validation_dataloader, test_dataloder, device, lr, model_name):
    if mymodel.type != "full":
        for name, parameter in mymodel.model.named_parameters():
            parameter.requires_grad_(False)
    return base.train(
        mymodel, num_epochs, train_dataloader, validation_dataloader, test_dataloder, device, lr
    )
