"""The BoolQ dataset: questions and passages become ids, masks and labels."""
