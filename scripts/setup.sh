# Sourced by ./run and ./test: installs what is missing on Debian and Ubuntu, and builds a preset, with ninja and ccache
# where they are.

run_packages="gcc g++ make cmake pkg-config libmicrohttpd-dev libjansson-dev libsqlite3-dev curl jq git"
test_packages="$run_packages libcmocka-dev python3 python3-pytest python3-requests python3-yaml procps clang-format"

# install_packages <names>: silent when all are there.
install_packages() {
    local missing="" package
    for package in "$@"; do
        dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' || missing="$missing $package"
    done
    [ -n "$missing" ] || return 0
    if [ "$(id -u)" != 0 ]; then
        echo "These packages are missing:$missing" >&2
        echo "Install them, and try again:" >&2
        echo "  sudo apt-get update && sudo apt-get install -y --no-install-recommends$missing" >&2
        return 1
    fi
    echo "Installing:$missing"
    local log=${TMPDIR:-/tmp}/coalesced-apt.$$
    if ! { apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends $missing; } >"$log" 2>&1; then
        tail -n 20 "$log" >&2
        echo "The packages could not be installed; the whole log is $log" >&2
        return 1
    fi
    rm -f "$log"
}

# build_progress <log>: copies what a build says to the log, and tells how far it is: on a terminal in one line that
# changes, elsewhere every ten seconds.
build_progress() {
    local log=$1 began=$SECONDS told=$SECONDS rest='' line at='' status
    while :; do
        IFS= read -r -t 5 line
        status=$?
        rest+=$line
        if [ "$status" = 0 ]; then
            printf '%s\n' "$rest" >>"$log"
            [[ $rest =~ ^\[\ *([0-9]+/[0-9]+|[0-9]+%)\] ]] && at="[${BASH_REMATCH[1]}]"
            rest=''
        elif [ "$status" -le 128 ]; then
            break # its end, and not the five seconds
        fi
        [ -n "$at" ] || continue
        if [ -t 1 ]; then
            printf '\r  %-12s %d s ' "$at" $((SECONDS - began))
        elif ((SECONDS - told >= 10)); then
            printf '  %-12s %d s\n' "$at" $((SECONDS - began))
            told=$SECONDS
        fi
    done
    [ -t 1 ] && printf '\r%-40s\r' ''
    return 0
}

# build_preset <preset> <target or all> [configure arguments]: quiet, but for how far it is, unless it fails.
build_preset() {
    local preset=$1 target=$2 folder=build log status=0 generator=()
    shift 2
    [ "$preset" = default ] || folder=build-$preset
    mkdir -p "$folder"
    log=$folder/build.log
    if [ ! -e "$folder/CMakeCache.txt" ] && command -v ninja >/dev/null; then generator=(-G Ninja); fi
    : >"$log"
    { cmake --preset "$preset" "${generator[@]}" "$@" &&
        NINJA_STATUS='[%f/%t] ' cmake --build "$folder" -j "$(nproc)" --target "$target"; } 2>&1 |
        build_progress "$log" || status=$?
    if [ "$status" != 0 ]; then
        grep -nE 'error|Error' "$log" | head -n 20 >&2
        echo "The build of preset $preset failed; the whole log is $log" >&2
        return 1
    fi
    grep -hE 'CUDA device:|cannot build a program' "$log" | sed 's/^-- //' | head -n 2
}
