import sys

line = "flood " * 10_000
while True:
    print(line)
    print(line, file=sys.stderr)
