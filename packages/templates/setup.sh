#!/usr/bin/env bash
# Gradescope runs this once, as root, when it builds the image: Python, a sandbox, the packages.
# Run again, it does only what is still to do.
set -euo pipefail

autograder=/autograder
source_folder=$autograder/source
venv=$autograder/venv
torch_index=${TORCH_INDEX:-https://download.pytorch.org/whl/cpu}

export DEBIAN_FRONTEND=noninteractive PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1

again() { # a mirror that does not answer is asked three times
  local n
  for n in 1 2 3; do
    "$@" && return 0
    echo "attempt $n failed: $*" >&2
    sleep $((n * 2))
  done
  return 1
}

new_enough() {
  "$1" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1
}

find_python() {
  local name
  for name in python3 python3.13 python3.12 python3.11; do
    if new_enough "$name"; then echo "$name"; return 0; fi
  done
  return 1
}

again apt-get update -qq
# Without bubblewrap, and where a container permits no namespaces, Landlock isolates.
again apt-get install -y -qq --no-install-recommends ca-certificates bubblewrap || true
if [ ! -x "$venv/bin/python" ]; then
  if ! find_python >/dev/null; then
    for name in python3.12 python3.11 python3; do
      apt-get install -y -qq --no-install-recommends "$name" "$name-venv" || true
      find_python >/dev/null && break
    done
  fi
  python=$(find_python) || { echo "Python 3.11 or newer is needed: choose Ubuntu 24.04" >&2; exit 1; }
  "$python" -m venv "$venv"
fi

cd "$source_folder"
# The CPU build first, alone: the index that has it lacks other packages.
again "$venv/bin/python" -m pip install -q --no-deps -c constraints.txt \
  --index-url "$torch_index" torch
again "$venv/bin/python" -m pip install -q -c constraints.txt -r requirements.txt

# Checks, and answers where there are any, are root's alone; a student's process is another user.
chmod -R go-rwx "$source_folder"
cd softmark && "$venv/bin/python" -m packages.gradescope.run --ready
