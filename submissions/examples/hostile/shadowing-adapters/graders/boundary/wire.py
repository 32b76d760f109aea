def encode(value):
    return b''
