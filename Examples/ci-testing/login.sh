#!/usr/bin/env bash
# Logs in by push MFA without a phone, and checks that the login page says so. It needs `pushauth`
# and `push-lab` in the PATH, and curl. In CI, your own server takes the place of `push-lab serve`.
set -euo pipefail

for program in pushauth push-lab curl; do
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

# The server with the login page. It sends its pushes by what the authenticator writes to $work/push.
push-lab serve --port 0 --push "$work/push" --write "$work" >"$work/server.log" &
page=$(line_of "$work/server.log" '^push-lab listens at (.*)/$')/forgerock/jane
echo "The login page: $page"

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

# Enrolls by the text of the QR code on the page.
curl --fail --silent --show-error "$page/invitation" |
    sed -nE 's,.*id="invitation">([^<]*)<.*,\1,p' | sed 's/&amp;/\&/g' |
    pushauth enroll --yes - "${authenticator[@]}"

# Logs in by the page's form, as a browser test would by its button.
curl --fail --silent --show-error --data kind=confirm "$page/login"
status=0
wait "$listener" || status=$?
cat "$work/events.log"
((status == 0)) || {
    cat "$work/listen.log" >&2
    echo "pushauth listen ended with $status." >&2
    exit "$status"
}

# The page follows the server a moment later.
for ((tries = 0; tries < 100; tries++)); do
    curl --fail --silent --show-error "$page" >"$work/page.html"
    grep -q 'data-status="waiting"' "$work/page.html" || break
    sleep 0.1
done
echo "The page says: $(line_of "$work/page.html" '.*data-status="approved">([^<]*)<.*')"
