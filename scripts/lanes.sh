# Sourced by ./test: runs programs side by side, each with a log of its own, and keeps what came of them in $results.

# record <name> <passed> <failed> <skipped>
record() { echo "$2 $3 $4" >"$results/${1//\//_}.counts"; }

skip() {
    record "$1" 0 0 1
    printf '  %-44s skipped: %s\n' "$1" "$2"
}

# Of what `times` writes, the seconds of the processor that what the shell began has used and ended.
processor_seconds() { awk 'NR == 2 { split($0, of, /[ms ]+/); print int(of[1] * 60 + of[2] + of[3] * 60 + of[4] + 0.5) }'; }

# report <name> <seconds> <passed> <failed> <skipped> <log> [lines about what was skipped]: one job's lines at once.
report() {
    record "$1" "$3" "$4" "$5"
    times >"$6.times" # in no pipe, whose shell would tell its own; each job has a shell of its own
    {
        flock 9
        printf '  %-44s %4d passed, %3d s, %3d of the processor%s%s\n' "$1" "$3" "$2" "$(processor_seconds <"$6.times")" \
            "$([ "$5" = 0 ] || echo ", $5 skipped")" "$([ "$4" = 0 ] || echo ", $4 FAILED")"
        [ -z "${7:-}" ] || sed 's/^/    /' <<<"$7"
        [ "$4" = 0 ] || { tail -n 60 "$6" | sed 's/^/  | /' && echo "  The whole log: $6"; }
    } 9>"$results/lock"
}

# run_unit <program> <command in front of it>: cmocka's own count is one "[       OK ]" a test.
run_unit() {
    local program=$1 log=$results/${1//\//_}.log ok bad left status=0 begun=$SECONDS
    shift
    "$@" "$program" $(arguments "$program") >"$log" 2>&1 || status=$?
    ok=$(grep -c '^\[       OK \]' "$log")
    bad=$(grep -E '^\[  (FAILED|ERROR)  *\] [a-z]' "$log" | sort -u | wc -l) # each is told twice
    left=$(grep '^\[  SKIPPED \] [a-z_]*$' "$log" | sort -u | wc -l)
    if [ "$status" != 0 ] && [ "$bad" = 0 ]; then bad=1; fi # a crash, or what a sanitizer found at the end
    if [ "$status" = 0 ] && [ "$ok" = 0 ]; then bad=1; fi   # a program that tested nothing
    report "$program" $((SECONDS - begun)) "$ok" "$bad" "$left" "$log" "$(grep '^skipped:' "$log" | sort -u)"
}

# on_preset <preset> <marks> <arguments of pytest>
on_preset() {
    local preset=$1 marks=$2
    shift 2
    COALESCED_BIN=$PWD/build-$preset/coalesced COALESCED_BUILD=$PWD/build-$preset timeout 1800 \
        $python -m pytest -q -m "$marks" ${pattern:+-k "$pattern"} "$@"
}

# pytest_files <preset> <marks> <files>: those that have a test with these marks and of that name. One process finds out for
# all: one for each file takes a quarter of a second. All of them when a file cannot be read, as its own job tells why.
pytest_files() {
    local preset=$1 marks=$2 found status=0
    shift 2
    found=$(on_preset "$preset" "$marks" --collect-only "$@" 2>&1) || status=$?
    case $status in
        0) sed -n 's,^\([^ ]*\.py\)::.*,tests/\1,p' <<<"$found" | uniq ;;
        5) ;; # none
        *) printf '%s\n' "$@" ;;
    esac
}

# in_groups <how many>: files from standard input, so many of one folder a line. Those that $long names are alone.
in_groups() {
    awk -v most="$1" -v long="$long" '
        { folder = $0; sub(/[^\/]*$/, "", folder) }
        $0 ~ long { print; next }
        count[folder] == most { print group[folder]; count[folder] = 0; group[folder] = "" }
        { group[folder] = group[folder] (count[folder]++ ? " " : "") $0 }
        END { for (folder in group) if (count[folder]) print group[folder] }'
}

# run_pytest <preset> <marks> <files or a folder>
run_pytest() {
    local preset=$1 marks=$2 status=0 begun=$SECONDS counts name
    shift 2
    name=$(echo "$preset $1 $marks" | sed -E 's/ (and )?not .*//')
    [ $# = 1 ] || name="$name and $(($# - 1)) more"
    local log="$results/${name//[\/ ]/_}.log"
    on_preset "$preset" "$marks" -rs "$@" >"$log" 2>&1 || status=$?
    [ "$status" = 5 ] && return # nothing of it is wanted
    counts=$(tail -n 1 "$log")
    count() { grep -oE "[0-9]+ ($1)" <<<"$counts" | awk '{ sum += $1 } END { print sum + 0 }'; }
    local bad
    bad=$(count 'failed|errors?')
    [ "$status" = 0 ] || [ "$bad" != 0 ] || bad=1
    report "$name" $((SECONDS - begun)) "$(count passed)" "$bad" "$(count skipped)" "$log" \
        "$(grep '^SKIPPED' "$log" | cut -c 1-160)"
}

# run_fuzz <program> <seconds>: one test, which passes when nothing was found. What it learns goes to a folder of its own.
run_fuzz() {
    local program=$1 name=${1##*/fuzz_} log=$results/${1##*/}.log bad=0 begun=$SECONDS
    local learned=$results/${1##*/}.corpus
    mkdir -p "$learned"
    timeout 120 "$program" -max_total_time="$2" -timeout=10 -artifact_prefix="$results/${program##*/}-" \
        "$learned" "tests/fuzz/corpus/$name" >"$log" 2>&1 || bad=1
    report "$program" $((SECONDS - begun)) $((1 - bad)) "$bad" 0 "$log"
}

clang_has_fuzzer() {
    echo 'int LLVMFuzzerTestOneInput(const char *d, unsigned long n) { return d && n == 77; }' |
        clang -x c - -fsanitize=fuzzer,address -o "$results/probe" >/dev/null 2>&1
}

# Jobs from standard input, one a line, to standard output: those that $long names first.
long_first() {
    local all
    all=$(cat)
    grep -E "$long" <<<"$all"
    grep -vE "$long" <<<"$all"
}

# run_pool <how many at once>: jobs from standard input, one a line, as they come.
run_pool() {
    local most=$1 running=0 job
    while IFS= read -r job; do
        [ -n "$job" ] || continue
        if [ "$running" -ge "$most" ]; then
            wait -n
            running=$((running - 1))
        fi
        eval "$job" </dev/null 3>&- &
        running=$((running + 1))
    done
    wait
}

# module_of <path or last part of it>: the module of tests/modules that is meant; nothing when it is none.
module_of() {
    [ -z "$1" ] || awk -v wanted="${1%/}" '
        /^#/ || !NF { next }
        { last = $1; sub(/.*\//, "", last) }
        $1 == wanted { exact = $1 }
        last == wanted && part == "" { part = $1 }
        END { if (exact != "") print exact; else if (part != "") print part }' tests/modules
}

# module_files <module>: its files of pytest, and those of the modules in it.
module_files() {
    awk -v module="$1" '$1 == module || index($1, module "/") == 1 { for (i = 2; i <= NF; i++) print $i }' tests/modules | sort -u |
        while read -r name; do ls tests/*/"$name".py; done
}

# source_of <program>: its source; false: there is none.
source_of() {
    find tests -name "$1.c" -o -name "$1.cpp" | grep -m 1 .
}

# unit_touches <module> <program>: does its source include a header of the module?
unit_touches() {
    grep -qE "^#include \"$1/" "$(source_of "$2")"
}
