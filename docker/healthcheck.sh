#!/bin/bash
# Succeeds when the service of this container would run an experiment that came now. The image has no HTTP client, and
# needs none for one line.
host=${COALESCED_ADDRESS:-127.0.0.1}
case $host in 0.0.0.0) host=127.0.0.1 ;; ::) host=::1 ;; esac
exec 3<>"/dev/tcp/$host/${COALESCED_PORT:-8080}" || exit 1
printf 'GET /readyz?verbose HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n' >&3
IFS= read -r -t 8 status <&3
[[ $status == 'HTTP/1.1 200 '* ]] && exit 0
echo "$status"
sed '1,/^\r*$/d' <&3
exit 1
