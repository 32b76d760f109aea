class options:
    prefix_length = 128
    clip = 1.0
