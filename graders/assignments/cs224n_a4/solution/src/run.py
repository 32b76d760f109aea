"""Pretrain, finetune or evaluate; trainer.py is the starter's, which students leave as it is.

python src/run.py pretrain rope wiki.txt --writing_params_path rope.pretrain.params
"""

import argparse
import random
from pathlib import Path

import torch
from dataset import CharCorruptionDataset, NameDataset
from models import GPT, GPTConfig
from torch.utils.tensorboard import SummaryWriter
from trainer import Trainer, TrainerConfig

from reference.data.evaluation import evaluate_places
from reference.data.vocabulary import Vocabulary
from reference.models.prediction import predict_places, read_prompts

BLOCK_SIZE = 128
PRETRAIN_EPOCHS = 650


def arguments():
    """What the command line asks for."""
    parser = argparse.ArgumentParser()
    parser.add_argument("function", choices=["pretrain", "finetune", "evaluate"])
    parser.add_argument("variant", choices=["vanilla", "rope"])
    parser.add_argument("pretrain_corpus_path")
    for name in ("reading_params", "writing_params", "finetune_corpus", "eval_corpus", "outputs"):
        parser.add_argument(f"--{name}_path")
    parser.add_argument("--pretrain_lr", type=float, default=6e-3)
    parser.add_argument("--finetune_lr", type=float, default=6e-4)
    parser.add_argument("--tb_expt_name", default="run")
    return parser.parse_args()


def main():
    """Do what the command line asks for, with the settings of the handout."""
    args = arguments()
    random.seed(0)
    torch.manual_seed(0)
    corpus = Path(args.pretrain_corpus_path).read_text(encoding="utf-8")
    documents = CharCorruptionDataset(corpus, BLOCK_SIZE)
    rope = args.variant == "rope"
    model = GPT(GPTConfig(documents.vocab_size, BLOCK_SIZE, rope=rope))
    if args.reading_params_path is not None:
        model.load_state_dict(torch.load(args.reading_params_path, map_location="cpu"))
    if args.function == "pretrain":
        pretrain(model, documents, args)
    elif args.function == "finetune":
        finetune(model, documents, args)
    else:
        evaluate(model, corpus, args)


def pretrain(model, documents, args):
    """Teach the model the corpus by span corruption."""
    settings = {
        "max_epochs": PRETRAIN_EPOCHS,
        "batch_size": 128,
        "learning_rate": args.pretrain_lr,
        "final_tokens": PRETRAIN_EPOCHS * len(documents) * BLOCK_SIZE,
    }
    train(model, documents, args, settings)


def finetune(model, documents, args):
    """Teach the model to answer, for longer where it was not pretrained."""
    questions = Path(args.finetune_corpus_path).read_text(encoding="utf-8")
    settings = {
        "max_epochs": 75 if args.reading_params_path is None else 10,
        "batch_size": 256,
        "learning_rate": args.finetune_lr,
        "final_tokens": 200 * len(documents) * BLOCK_SIZE,
    }
    train(model, NameDataset(documents, questions), args, settings)


def train(model, dataset, args, settings):
    """Train with what both phases share, and keep the weights."""
    writer = SummaryWriter(log_dir=f"expt/{args.function}/{args.tb_expt_name}")
    config = TrainerConfig(
        lr_decay=True, warmup_tokens=512 * 20, num_workers=4, writer=writer, **settings
    )
    Trainer(model, dataset, None, config).train()
    torch.save(model.state_dict(), args.writing_params_path)


def evaluate(model, corpus, args):
    """Write one predicted place a question, and print how many are right."""
    prompts = read_prompts(args.eval_corpus_path)
    places = predict_places(model, Vocabulary(corpus), prompts)
    text = "".join(f"{place}\n" for place in places)
    Path(args.outputs_path).write_text(text, encoding="utf-8", newline="\n")
    total, correct = evaluate_places(args.eval_corpus_path, places)
    if total:
        print(f"Correct: {correct} out of {total}: {100 * correct / total}%")


if __name__ == "__main__":
    main()
