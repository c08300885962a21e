#!/bin/sh
# Trains the network anew: pictures, faces, samples, training, figures. See README.md.
#   [SAMPLES=1000000] [TOTAL=20000000] [SEED=1] ./train.sh WORK TEACHER
set -eu
work=${1:?a folder to work in, outside of the repository}
teacher=${2:?the folder with the two files of MiniFASNet}
seed=${SEED:-1}
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
python=${PYTHON:-/usr/bin/python3}
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
teacher=$(cd "$teacher" && pwd)
cd "$here"
# What was finished before of the same is not done anew.
[ -e "$work/pictures/index.json" ] || "$python" -m presence collect --out "$work/pictures" ${MIRROR:+--mirror "$MIRROR"} ${DATA:+--data "$DATA"}
(cd "$root/benchmarks" && npm run --silent export:presence -- --pictures "$work/pictures" --out "$work/faces")
"$python" -m presence generate --sources "$work/faces" --teacher "$teacher" --out "$work/samples" --samples "${SAMPLES:-1000000}"
"$python" -m presence train --samples "$work/samples" --seed "$seed" --total "${TOTAL:-20000000}"
"$python" -m presence export --samples "$work/samples" --seed "$seed" --out "$work/weights-$seed"
echo "Written: $work/weights-$seed. How it becomes what is built: README.md." >&2
