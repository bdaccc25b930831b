# Sourced by the other scripts: strict bash, at the root of the repository.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# For what is built once, to be run: each module in one go, without what debuggers read, takes half the
# processor's time. Without the second flag the compiler reads each module twice, once for its interface alone,
# and expands the tests' macros both times. Whoever changes a file and builds again is better off without.
whole=(
    -Xswiftc -whole-module-optimization -Xswiftc -no-emit-module-separately-wmo
    -Xswiftc -num-threads -Xswiftc 1 -debug-info-format none
)

# Every build of the gate has these, so that nothing is built twice. Optimizing BoringSSL's C takes a fifth more
# of the processor's time than not to, and saves the tests much of what scrypt and keys of RSA cost.
gate_flags=(
    --enable-code-coverage --explicit-target-dependency-import-check error "${whole[@]}" -Xcc -O1
)

# The targets that a build of this package's tests optimizes: optimizing them takes a minute, and saves the
# simulated schedules five.
schedules_run_through='PushCore PushTesting FictionalVendor PushSimulation'

# Prints what is wrong, and remembers that something is.
failures=0
complain() {
    printf '%s\n' "$1" >&2
    failures=$((failures + 1))
}

# A search that finds nothing hasn't failed.
search() {
    "$@" || (($? == 1))
}

# Ends a check.
conclude() {
    if ((failures > 0)); then
        echo "$1: $failures found" >&2
        exit 1
    fi
    echo "$1: none found"
}

# Runs a function for each item, several at once, and then another with each item and its status, in order:
# in_batches COUNT RUN TELL ITEM…
in_batches() {
    local count=$1 run=$2 tell=$3 item process status running
    shift 3
    while (($# > 0)); do
        running=()
        for item in "${@:1:count}"; do
            "$run" "$item" &
            running+=($!)
        done
        for process in "${running[@]}"; do
            status=0
            wait "$process" || status=$?
            "$tell" "$1" "$status"
            shift
        done
    done
}

# The products of the root manifest, one per line: what integrators can link.
products() {
    swift package describe | awk '
        /^[A-Z]/ { inside = ($0 == "Products:") }
        inside && $1 == "Name:" { print $2 }'
}

# The folder of a target of the root manifest.
path_of() {
    swift package describe | awk -v target="$1" '
        /^[A-Z]/ { inside = ($0 == "Targets:") }
        inside && $1 == "Name:" { name = $2 }
        inside && $1 == "Path:" && name == target { print $2 }'
}

# A tool of this toolchain: found beside the compiler, which may itself be behind a proxy on PATH.
tool() {
    local resources bin
    resources=$(swiftc -print-target-info | sed -nE 's/.*"runtimeResourcePath": "(.*)".*/\1/p')
    bin=$(cd "$resources/../../bin" && pwd)
    if [[ -x "$bin/$1" ]]; then
        echo "$bin/$1"
    elif command -v xcrun >/dev/null && xcrun --find "$1" 2>/dev/null; then
        :
    else
        return 1
    fi
}

# The Swift files that are, or would be, committed; of the given folders if any.
swift_files() {
    git ls-files --cached --others --exclude-standard -- "$@" | grep '\.swift$' |
        while IFS= read -r file; do if [[ -f $file ]]; then echo "$file"; fi; done
}
