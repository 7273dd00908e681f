#!/bin/bash
# Succeeds when the service of this container would run an experiment that came now. It asks where the running service was told
# to listen, by its options or its variables. The image has no HTTP client, and needs none for one line.
#   healthcheck.sh [PID]    of the service; by default the container's own
set -u

# The oldest process of that name, as a command of `docker exec` has it too; of this container, as others are seen where it
# shares its processes with them; and one whose options may be read.
service_pid() {
    local folder own
    own=$(readlink /proc/self/ns/mnt)
    for folder in /proc/[0-9]*; do
        [ "$(cat "$folder/comm" 2>/dev/null)" = coalesced ] &&
            [ "$(readlink "$folder/ns/mnt" 2>/dev/null)" = "$own" ] &&
            head -c 1 "$folder/environ" >/dev/null 2>&1 && echo "${folder#/proc/}"
    done | sort -n | head -n 1
}

pid=${1:-$(service_pid)}
[ -n "$pid" ] && [ -d "/proc/$pid" ] || { echo "the service does not run" && exit 1; }
words=() variables=()
{ mapfile -d '' words <"/proc/$pid/cmdline" && mapfile -d '' variables <"/proc/$pid/environ"; } ||
    { echo "the options of process $pid cannot be read by $(id -un)" && exit 1; }

# option FLAG VARIABLE DEFAULT: its value as the service reads it; a flag wins, and of several the last.
option() {
    local value=$3 text i
    for text in "${variables[@]}"; do [[ $text != "$2="* ]] || value=${text#*=}; done
    for ((i = 1; i < ${#words[@]}; i++)); do
        case ${words[i]} in
        "$1") value=${words[i + 1]-} ;;
        "$1="*) value=${words[i]#*=} ;;
        esac
    done
    printf '%s\n' "$value"
}

request=$'GET /readyz?verbose HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'
address=$(option --address COALESCED_ADDRESS 127.0.0.1)
case $address in 0.0.0.0) address=127.0.0.1 ;; ::) address=::1 ;; esac
if [ "$address" = none ]; then
    # Perl is a part of every Debian and Ubuntu.
    answer=$(timeout 8 perl -MIO::Socket::UNIX -e \
        '$s = IO::Socket::UNIX->new($ARGV[0]) or die "$ARGV[0]: $!\n"; $s->print($ARGV[1]); print while <$s>' \
        "$(option --socket COALESCED_SOCKET '')" "$request") || exit 1
else
    port=$(option --port COALESCED_PORT 8080)
    if [ "$port" = 0 ]; then
        file=$(option --port-file COALESCED_PORT_FILE '')
        port=$(cat "$file") || { echo "the port is any free one: --port-file would tell which" && exit 1; }
    fi
    exec 3<>"/dev/tcp/$address/$port" || exit 1
    printf %s "$request" >&3
    answer=$(timeout 8 cat <&3)
fi
[[ $answer == 'HTTP/1.1 200 '* ]] && exit 0
printf '%s\n' "$answer" | sed '2,/^\r*$/d'
exit 1
