from parts.data import BoolQADataset
from parts.loops import evaluate_model, train

if __name__ == "__main__":
    raise SystemExit("see README")
