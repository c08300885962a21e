#!/bin/sh
# Started by scripts/check-image.mjs in new namespaces, in a folder of its own: a network with podman's service and with
# an authority that answers ACME (Pebble), and the trial in it.
set -eu
ip link set lo up
mount -t tmpfs tmpfs /run && mkdir /run/lock
printf '127.0.0.1 %s\n' localhost api.check-in.test dashboard.check-in.test kiosk.check-in.test widget.check-in.test > hosts
mount --bind hosts /etc/hosts
# No name of elsewhere is looked up, and none is waited for.
echo 'nameserver 127.0.0.1' > resolv.conf
mount --bind resolv.conf /etc/resolv.conf
# crun takes one version of cgroups.
if mountpoint -q /sys/fs/cgroup/unified; then umount /sys/fs/cgroup/unified; fi

openssl req -x509 -newkey rsa:2048 -nodes -subj /CN=pebble -addext subjectAltName=IP:10.98.0.1,DNS:localhost \
  -keyout pebble.key -out pebble.pem 2> /dev/null
echo '{"pebble": {"listenAddress": "0.0.0.0:14000", "managementListenAddress": "127.0.0.1:15000", "httpPort": 80,
  "certificate": "pebble.pem", "privateKey": "pebble.key"}}' > pebble.json
PEBBLE_VA_NOSLEEP=1 pebble -config pebble.json > pebble.log 2>&1 &
podman system service --time=0 "$DOCKER_HOST" > podman.log 2>&1 &
# Without systemd nothing asks how containers are.
while sleep 2; do podman healthcheck run svc-postgres-1 || true; done > health.log 2>&1 &
until curl -fs --cacert pebble.pem https://localhost:15000/roots/0 > root.pem; do sleep 0.2; done
folder=$PWD
cd "$(dirname "$0")"
NODE_EXTRA_CA_CERTS=$folder/root.pem "$NODE" --conditions=svc-source --import tsx compose-trial.ts "$folder"
