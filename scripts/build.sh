# Sourced by ./run and ./test: builds a preset, and tells how far it is.

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

# build_preset <preset> <targets, or all> [configure arguments]: quiet, but for how far it is, unless it fails.
build_preset() {
    local preset=$1 target=$2 folder=build log status=0
    shift 2
    [ "$preset" = default ] || folder=build-$preset
    log=$folder/build.log
    # CMake refuses a folder that was configured for make, as earlier versions of this script did.
    grep -qs 'CMAKE_GENERATOR:INTERNAL=Unix Makefiles' "$folder/CMakeCache.txt" && rm -rf "$folder"
    mkdir -p "$folder"
    : >"$log"
    { cmake --preset "$preset" "$@" &&
        NINJA_STATUS='[%f/%t] ' cmake --build "$folder" -j "$(nproc)" --target $target; } 2>&1 |
        build_progress "$log" || status=$?
    if [ "$status" != 0 ]; then
        grep -nE 'error|Error|undefined reference' "$log" | head -n 20 >&2
        echo "The build of preset $preset failed; the whole log is $log" >&2
        return 1
    fi
    grep -hE 'CUDA device:|cannot build a program' "$log" | sed 's/^-- //' | head -n 2
}
