#!/bin/sh
# Trains the network anew: sources, scenes, training, figures. See README.md.
#   ./train.sh WORK [SEED]
set -eu
work=${1:?a folder to work in, outside of the repository}
seed=${2:-1}
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
python=${PYTHON:-/usr/bin/python3}
workers=$(nproc)
umask 077

if ! "$python" -c 'import torch, numpy, PIL, av' 2>/dev/null; then
  if [ "$python" != /usr/bin/python3 ] || [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
    echo "$python lacks torch, numpy, PIL or av. On Debian: apt-get install python3-torch python3-numpy python3-pil python3-av" >&2
    exit 1
  fi
  apt-get update -qq
  apt-get install -y -qq --no-install-recommends python3-torch python3-numpy python3-pil python3-av
fi

mkdir -p "$work"
work=$(cd "$work" && pwd)
[ -e "$work/sources/DONE" ] || (cd "$root/apps/e2e" && npm run --silent export:presence -- --out "$work/sources" --people 420)
cd "$here"
# What was finished before of the same, a part of the scenes or an epoch, is not done anew.
"$python" -m presence generate --sources "$work/sources" --work "$work/scenes" --workers "$workers"
"$python" -m presence train --work "$work/scenes" --seed "$seed" --out "$work/weights-$seed"
echo "Written: $work/weights-$seed. How it becomes what is built: README.md." >&2
