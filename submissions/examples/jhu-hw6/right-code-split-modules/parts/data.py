from torch import tensor
from torch.utils.data import Dataset


class BoolQADataset(Dataset):
    def __init__(self, passages, questions, answers, tokenizer, max_len):
        self.__dict__.update(locals())

    def __len__(self):
        return len(self.passages)

    def __getitem__(self, index):
        encoded = self.tokenizer.batch_encode_plus(
            [" [SEP] ".join((self.questions[index], self.passages[index]))],
            max_length=self.max_len,
            truncation=True,
            padding="max_length",
        )
        item = {name: tensor(encoded[name][0]) for name in ("input_ids", "attention_mask")}
        return {**item, "labels": tensor(1 if self.answers[index] else 0)}
