# Sourced by ./run, ./test and the Dockerfile, there by a plain sh: installs what is missing on Debian and Ubuntu.

run_packages="gcc g++ cmake ninja-build pkg-config libmicrohttpd-dev libjansson-dev libsqlite3-dev nettle-dev libcminpack-dev libmuparser-dev libseccomp-dev zlib1g-dev libcurl4-openssl-dev node-d3 libjs-codemirror curl jq git"
# Of systemd the tests use systemd-analyze.
test_packages="$run_packages clang mold ccache libcmocka-dev python3 python3-pytest python3-requests python3-yaml python3-jsonschema procps clang-format systemd"
browser_packages="chromium chromium-driver python3-selenium" # of tests/browser; other distributions name them otherwise
deb_packages="dpkg-dev file lintian shellcheck docker-compose" # of tests/packages
client_packages="zsh fish python3-pandas python3-matplotlib" # of tests/client: completions in real shells, docs/notebook.md
remote_packages="slurm-wlm munge openssh-server openssh-client" # of tests/remote

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

# have_nvrtc: is the compiler of a CUDA toolkit where coalesced looks for it?
have_nvrtc() {
    local library
    for library in /usr/local/cuda/lib64/libnvrtc.so*; do
        if [ -e "$library" ]; then return 0; fi
    done
    PATH=$PATH:/sbin:/usr/sbin ldconfig -p 2>/dev/null | grep -q 'libnvrtc\.so'
}

# install_compiler: what compiles the sources that users bring: clang, where there is no NVRTC. All else works without it.
install_compiler() {
    if have_nvrtc || command -v clang >/dev/null; then return 0; fi
    install_packages clang || echo "WITHOUT clang OR NVRTC no source of a user's own is compiled." >&2
}

# install_remote: $remote_packages, without the services that they would start now and at each boot, as the tests start
# daemons of their own: where systemd runs, those that are not there yet are masked.
install_remote() {
    local service
    if [ "$(id -u)" = 0 ] && [ -d /run/systemd/system ]; then
        for service in ssh.service ssh.socket munge.service slurmctld.service slurmd.service; do
            systemctl cat "$service" >/dev/null 2>&1 || systemctl -q mask "$service" || return 1
        done
    fi
    install_packages $remote_packages
}

# fetch_prometheus <absolute folder>: unless they are installed, prometheus and promtool are put into <folder>/usr/bin. Debian's
# package is unpacked and not installed: that needs no root, and starts no service on port 9090.
fetch_prometheus() {
    local folder=$1
    if [ -d "$folder" ] || { command -v prometheus && command -v promtool; } >/dev/null; then return 0; fi
    echo "Fetching prometheus for the tests"
    if ! (
        rm -rf "$folder.part" && mkdir -p "$folder.part" && cd "$folder.part" || exit 1
        apt-get download -q prometheus ||
            { [ "$(id -u)" = 0 ] && apt-get update -q && apt-get download -q prometheus; } || exit 1
        dpkg-deb -x prometheus_*.deb . && rm prometheus_*.deb && mv "$folder.part" "$folder"
    ) >"$folder.log" 2>&1; then
        tail -n 5 "$folder.log" >&2
        return 1
    fi
}
