#!/usr/bin/env bash
# Logs in by push MFA without a phone, and checks that the server says so. It needs `pushauth` and
# `push-lab` in the PATH, curl and jq. In CI, your own server takes the place of `push-lab serve`.
set -euo pipefail

for program in pushauth push-lab curl jq; do
    command -v "$program" >/dev/null || { echo "$program isn't in the PATH." >&2; exit 1; }
done

work=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; wait; rm -rf "$work"' EXIT

# Waits up to 30 seconds for a line in a file, and prints the part of it that is asked for.
line_of() {
    for ((tries = 0; tries < 300; tries++)); do
        sed -nE "s,$2,\1,p" "$1" 2>/dev/null | grep -m 1 . && return
        sleep 0.1
    done
    echo "Nothing in $1 matches $2:" >&2
    cat "$1" >&2
    return 1
}

# Asks the server, and prints what it says; what it refuses ends this script.
ask() {
    curl --silent --show-error --fail-with-body "$@"
}

# The server that logs in. It sends its pushes by what the authenticator writes to $work/push.
push-lab serve --port 0 --push "$work/push" --write "$work" >"$work/server.log" &
server=$(line_of "$work/server.log" '^push-lab listens at (.*)/$')/api/forgerock
echo "The server: $server"

# The authenticator: it takes one push as Google would, and answers by the policy.
cat >"$work/policy.toml" <<'END'
[[rule]]
name = "CI logins"
user = ["jane"]
kind = ["approve"]
action = "approve"
END
authenticator=(--store "$work/store" --config "$work/pushauth.toml")
pushauth listen --fcm 127.0.0.1:0 --credentials "$work/push" --policy "$work/policy.toml" \
    --once --timeout 60 "${authenticator[@]}" >"$work/events.log" 2>"$work/listen.log" &
listener=$!
line_of "$work/listen.log" '^(listening .*)$'

# Enrolls by the text of a QR code.
ask --json '{"user": "jane"}' "$server/invitations" | jq --raw-output .text |
    pushauth enroll --yes - "${authenticator[@]}"

# Logs in, as a browser test would by the page's button.
login=$(ask --json '{"user": "jane", "kind": "confirm"}' "$server/logins" | jq --raw-output .id)
status=0
wait "$listener" || status=$?
cat "$work/events.log"
((status == 0)) || {
    cat "$work/listen.log" >&2
    ask "$server/pushes" >&2
    echo "pushauth listen ended with $status." >&2
    exit "$status"
}

# What the login page would say.
state=$(ask "$server/logins/$login" | jq --raw-output .state)
echo "The server says: $state"
[[ $state == approved ]]
