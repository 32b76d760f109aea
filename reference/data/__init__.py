"""What the models read: two invented data sets, span corruption, questions, their scoring."""
