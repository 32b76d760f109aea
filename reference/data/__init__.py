"""The data of the models: two invented datasets, span corruption, questions and their scoring."""
