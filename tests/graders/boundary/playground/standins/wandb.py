NAME = "a stand-in"
