"""The BoolQ dataset: how questions and passages become ids, masks and labels."""
