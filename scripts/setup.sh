# Sourced by ./run and ./test: installs what is missing on Debian and Ubuntu, and builds a preset.

run_packages="gcc g++ make cmake pkg-config libmicrohttpd-dev libjansson-dev libsqlite3-dev zlib1g-dev curl jq git"
test_packages="$run_packages libcmocka-dev python3 python3-pytest python3-requests python3-yaml procps"

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

# build_preset <preset> <target or all> [configure arguments]: quiet unless it fails.
build_preset() {
    local preset=$1 target=$2 folder=build log status=0
    shift 2
    [ "$preset" = default ] || folder=build-$preset
    mkdir -p "$folder"
    log=$folder/build.log
    { cmake --preset "$preset" "$@" && cmake --build "$folder" -j "$(nproc)" --target "$target"; } >"$log" 2>&1 || status=$?
    if [ "$status" != 0 ]; then
        grep -nE 'error|Error' "$log" | head -n 20 >&2
        echo "The build of preset $preset failed; the whole log is $folder/build.log" >&2
        return 1
    fi
    grep -hE 'CUDA device:|cannot build a program' "$log" | sed 's/^-- //' | head -n 2
}
