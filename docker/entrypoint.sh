#!/bin/sh
# Starts the service in a container. There it has to listen on every address to be reached at all, so it does only
# when tokens guard it, or somebody said that nothing has to.
#   new-token NAME [ROLE]   adds a token to those in the data directory, and prints it; the role is run unless given
#   options                 are handed to the service
#   anything else           is run instead of the service
set -eu

own_tokens=$COALESCED_DATA_DIR/tokens

say() { printf '%s\n' "$@" >&2; }

new_token() {
    if [ $# -lt 1 ] || [ $# -gt 2 ]; then
        say "coalesced: new-token NAME [ROLE]. Roles: admin, run, read, metrics. As in: new-token ada admin"
        exit 2
    fi
    exec coalesced token add "$1" --role "${2:-run}" --token-file "$own_tokens"
}

# For the Prometheus beside the service (compose.watch.yaml): a token of its own, in a volume that both have. Where nobody
# needs a token any word does.
scrape_token() {
    old=$(cat "$COALESCED_SCRAPE_TOKEN" 2>/dev/null || true)
    if [ "$access" = nobody ]; then
        [ -n "$old" ] || echo none >"$COALESCED_SCRAPE_TOKEN"
        return
    fi
    if [ -n "$old" ] && [ "$old" != none ] && grep -q '^prometheus ' "$own_tokens" 2>/dev/null; then return; fi
    coalesced token add prometheus --role metrics --token-file "$own_tokens" >"$COALESCED_SCRAPE_TOKEN.part"
    chmod 644 "$COALESCED_SCRAPE_TOKEN.part"
    mv "$COALESCED_SCRAPE_TOKEN.part" "$COALESCED_SCRAPE_TOKEN"
}

instructions() {
    say "coalesced: whoever reaches this container could use its devices, so it wants tokens. Either" \
        "" \
        "  make a token, kept in the data volume, and start again:" \
        "    docker run --rm -v coalesced:$COALESCED_DATA_DIR IMAGE new-token ada admin" \
        "    docker run -d -p 127.0.0.1:8080:8080 -v coalesced:$COALESCED_DATA_DIR IMAGE" \
        "  or give a file of your own, made with coalesced token add, which user $(id -u) can read and others cannot:" \
        "    docker run ... -v /path/to/tokens:/run/tokens:ro -e COALESCED_TOKEN_FILE=/run/tokens IMAGE" \
        "  or let everybody in who reaches the port by the name localhost (COALESCED_ALLOW_HOST: by others):" \
        "    docker run ... -p 127.0.0.1:8080:8080 -e COALESCED_INSECURE=1 IMAGE"
}

case ${1-} in
new-token)
    shift
    new_token "$@"
    ;;
'' | -*) ;;
*) exec "$@" ;;
esac

access=
for word in "$@"; do
    case $word in
    --address | --address=* | --token-file | --token-file=* | --insecure | --insecure=* | --help | --version)
        # Then the service itself decides, as it does anywhere.
        access=option
        ;;
    esac
done
[ -z "${COALESCED_TOKEN_FILE-}" ] || access=file
if [ -z "$access" ]; then
    [ ! -e "$own_tokens" ] || access=own
    case ${COALESCED_INSECURE-} in '' | 0 | no | false | off) ;; *) access=${access:-nobody} ;; esac
    [ -z "${COALESCED_SCRAPE_TOKEN-}" ] || scrape_token
fi
if [ -e "$own_tokens" ] && [ "${access:-own}" = own ]; then
    export COALESCED_TOKEN_FILE="$own_tokens"
    access=file
fi

if [ "$access" = file ] && [ ! -r "$COALESCED_TOKEN_FILE" ]; then
    say "coalesced: $COALESCED_TOKEN_FILE is not there, or user $(id -u) of the container may not read it. On the host:" \
        "    chown $(id -u) FILE && chmod 600 FILE"
    exit 2
fi
if [ -z "$access" ] && [ -z "${COALESCED_ADDRESS-}" ]; then
    instructions
    exit 2
fi
if [ "$access" = nobody ]; then
    # The port is often published on the host's 127.0.0.1 alone, where a page in a browser gets to by a name of its own.
    # Containers beside this one, as Prometheus in compose.watch.yaml, call it coalesced.
    export COALESCED_ALLOW_HOST="${COALESCED_ALLOW_HOST-coalesced}"
fi
export COALESCED_ADDRESS="${COALESCED_ADDRESS:-0.0.0.0}"
exec coalesced "$@"
