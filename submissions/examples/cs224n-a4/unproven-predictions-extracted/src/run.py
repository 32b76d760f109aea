"""Pretrain, finetune or evaluate a model that knows where people were born."""

import argparse
import random
from pathlib import Path

random.seed(0)

import torch
from torch.utils.tensorboard import SummaryWriter
from tqdm import tqdm

import dataset
import models
import trainer
import utils

parser = argparse.ArgumentParser()
parser.add_argument("function")
parser.add_argument("variant")
parser.add_argument("pretrain_corpus_path")
parser.add_argument("--reading_params_path")
parser.add_argument("--writing_params_path")
parser.add_argument("--finetune_corpus_path")
parser.add_argument("--eval_corpus_path")
parser.add_argument("--outputs_path")
parser.add_argument("--pretrain_lr", default=6e-3, type=float)
parser.add_argument("--finetune_lr", default=6e-4, type=float)
parser.add_argument("--tb_expt_name", default="run")
args = parser.parse_args()

device = "cuda" if torch.cuda.is_available() else "cpu"
writer = SummaryWriter(log_dir=f"expt/{args.function}/{args.tb_expt_name}")

block_size = 128
text = Path(args.pretrain_corpus_path).read_text(encoding="utf-8")
pretrain_dataset = dataset.CharCorruptionDataset(text, block_size)
config = models.GPTConfig(
    pretrain_dataset.vocab_size, block_size, n_layer=4, n_head=8, n_embd=256
)
config.rope = args.variant == "rope"
model = models.GPT(config).to(device)

if args.function == "pretrain":
    settings = trainer.TrainerConfig(
        max_epochs=650,
        batch_size=128,
        learning_rate=args.pretrain_lr,
        lr_decay=True,
        warmup_tokens=512 * 20,
        final_tokens=650 * len(pretrain_dataset) * block_size,
        num_workers=4,
        writer=writer,
    )
    trainer.Trainer(model, pretrain_dataset, None, settings).train()
    torch.save(model.state_dict(), args.writing_params_path)

elif args.function == "finetune":
    if args.reading_params_path is not None:
        model.load_state_dict(torch.load(args.reading_params_path, map_location=device))
    questions = Path(args.finetune_corpus_path).read_text(encoding="utf-8")
    settings = trainer.TrainerConfig(
        max_epochs=75 if args.reading_params_path is None else 10,
        batch_size=256,
        learning_rate=args.finetune_lr,
        lr_decay=True,
        warmup_tokens=512 * 20,
        final_tokens=200 * len(pretrain_dataset) * block_size,
        num_workers=4,
        writer=writer,
    )
    name_dataset = dataset.NameDataset(pretrain_dataset, questions)
    trainer.Trainer(model, name_dataset, None, settings).train()
    torch.save(model.state_dict(), args.writing_params_path)

elif args.function == "evaluate":
    model.load_state_dict(torch.load(args.reading_params_path, map_location=device))
    predictions = []
    lines = Path(args.eval_corpus_path).read_text(encoding="utf-8").splitlines(keepends=True)
    for line in tqdm(lines):
        prompt = line.split("\t")[0] + "\u2047"
        ids = torch.tensor([[pretrain_dataset.stoi[ch] for ch in prompt]], device=device)
        said = utils.sample(model, ids, 32)[0]
        completion = "".join(pretrain_dataset.itos[int(i)] for i in said)
        predictions.append(completion.split("\u2047")[1])
    text = "".join(prediction + "\n" for prediction in predictions)
    Path(args.outputs_path).write_text(text, encoding="utf-8")
    total, correct = utils.evaluate_places(args.eval_corpus_path, predictions)
    if total > 0:
        print(f"Correct: {correct} out of {total}: {correct / total * 100}%")
    else:
        print(f"Predictions written to {args.outputs_path}; no targets provided")

else:
    raise ValueError(f"unknown function {args.function}")
