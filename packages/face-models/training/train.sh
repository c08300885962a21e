#!/bin/sh
# Reproduces the weights: sources, scenes, training, figures. See README.md.
#   ./train.sh WORK [SEED]
set -eu
work=${1:?a folder to work in, outside of the repository}
seed=${2:-1}
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
python=/usr/bin/python3

if ! "$python" -c 'import torch, numpy, PIL, av' 2>/dev/null; then
  if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
    echo 'Needs Debian’s python3-torch, python3-numpy, python3-pil and python3-av: apt-get install them.' >&2
    exit 1
  fi
  apt-get update -qq
  apt-get install -y -qq --no-install-recommends python3-torch python3-numpy python3-pil python3-av
fi

mkdir -p "$work"
work=$(cd "$work" && pwd)
[ -e "$work/sources/DONE" ] || (cd "$root/apps/e2e" && npm run --silent export:presence -- --out "$work/sources" --people 420)
cd "$here"
[ -e "$work/scenes/held-out.json" ] || "$python" -m presence generate --sources "$work/sources" --work "$work/scenes"
exec "$python" -m presence train --work "$work/scenes" --seed "$seed" --out "$here/weights"
