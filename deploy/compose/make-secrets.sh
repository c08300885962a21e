#!/bin/sh
# Makes what is missing of the secrets that compose.yaml reads: passwords, the key-encryption key, and an authority with
# certificates for PgBouncer, PostgreSQL and, for a trial, the proxy. Run it as root: each file belongs to its reader.
#   sudo deploy/compose/make-secrets.sh [folder, default: secrets beside this file] [domain of the host names, default: localhost]
set -eu
folder=${1:-$(dirname "$0")/secrets}
host=${2:-localhost}
umask 077
mkdir -p "$folder"
# Only folders above are searched by the readers; the files are closed to all but theirs.
chmod 711 "$folder"
cd "$folder"

# What is there stays as it is: no list opens without its KEK, and no device trusts another signing key.
has() { [ -s "$1" ]; }

for role in database serving superuser; do
  has "$role-password" || head -c 24 /dev/urandom | base64 | tr '+/' '-_' > "$role-password"
done
has role-password || cp database-password role-password
has serving-role-password || cp serving-password serving-role-password
grep -qs '^"svc_serving" ' pgbouncer-users || printf '"svc_serving" "%s"\n' "$(cat serving-password)" >> pgbouncer-users
has kek || head -c 32 /dev/urandom | base64 > kek
has signing-key.pem || openssl genpkey -quiet -algorithm ed25519 -out signing-key.pem

has ca.pem || openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 3650 -subj '/CN=svc deployment' \
  -addext basicConstraints=critical,CA:TRUE,pathlen:0 -addext keyUsage=critical,keyCertSign \
  -keyout ca.key -out ca.pem 2> /dev/null
for name in postgres pgbouncer "$host"; do
  if has "$name.pem" || { [ "$name" = "$host" ] && has proxy.pem; }; then continue; fi
  openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj "/CN=$name" -keyout "$name.key" -out request 2> /dev/null
  printf 'subjectAltName=DNS:%s,DNS:*.%s\nextendedKeyUsage=serverAuth\n' "$name" "$name" > extensions
  days=3650
  # The most that browsers take.
  if [ "$name" = "$host" ]; then days=825; fi
  openssl x509 -req -in request -CA ca.pem -CAkey ca.key -days $days -extfile extensions -out "$name.pem" 2> /dev/null
done
# Replace it by a certificate that browsers trust: certificate, intermediates and key in one file.
has proxy.pem || cat "$host.pem" "$host.key" > proxy.pem
rm -f request extensions ca.srl "$host.pem" "$host.key"

chmod 644 ca.pem
if [ "$(id -u)" = 0 ]; then
  # The users in the images: the service, PgBouncer and the proxy, as compose.yaml starts them; PostgreSQL.
  chown 1000:1000 database-password serving-password pgbouncer-users kek signing-key.pem pgbouncer.key pgbouncer.pem proxy.pem
  chown 999:999 postgres.key postgres.pem role-password serving-role-password superuser-password
fi
echo "$folder: keep copies of kek and signing-key.pem apart from every backup; put ca.key away"
