# Softmark in a container; docs/platforms.md says which privileges its sandbox needs.
FROM python:3.11-slim-bookworm

# bubblewrap isolates students' code where the container permits namespaces, Landlock elsewhere.
RUN apt-get update \
 && apt-get install --yes --no-install-recommends bubblewrap \
 && rm -rf /var/lib/apt/lists/*

WORKDIR /softmark
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1

# The CPU build first, alone: the index that has it lacks other packages.
COPY constraints.txt ./
RUN pip install --no-deps --constraint constraints.txt --index-url https://download.pytorch.org/whl/cpu torch

COPY pyproject.toml README.md LICENSE grade.py softmark.py ./
COPY commands commands
COPY graders graders
COPY packages packages
COPY reference reference
COPY reports reports
COPY submissions submissions
RUN pip install --constraint constraints.txt --editable '.[courses]'

ENTRYPOINT ["softmark"]
CMD ["doctor"]
