"""The models' data: two invented datasets, span corruption, questions, and their scoring."""
