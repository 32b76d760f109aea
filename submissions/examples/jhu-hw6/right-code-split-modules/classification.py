from parts.loops import evaluate_model, train
from parts.model import CustomModelforSequenceClassification
