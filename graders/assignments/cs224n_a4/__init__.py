"""Stanford CS224N, assignment 4: pretraining a small GPT, span corruption and rotary embeddings.

The code is graded in `span_corruption`, `rotary` and `training_script`, the predictions in
`hidden/predictions`. Start with `span_corruption/checks.py`.
"""
