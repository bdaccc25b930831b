#!/usr/bin/env bash
# Logs in at a real Keycloak, and approves that with pushauth by the realm's list: no Firebase is
# needed. The gate doesn't run it, as it takes images from the network.
set -euo pipefail

if (($# > 0)); then
    cat <<'HELP'
Usage: login.sh

Starts Keycloak with the push MFA extension in a container, at http://localhost:8080. Enrolls
pushauth for the user jane, logs her in with her password, approves, and checks that Keycloak lets
her in. Container, image and store are removed at the end, and after Ctrl-C.

It needs pushauth in the PATH, curl 7.79, Docker with Compose 2.17, and the network for the images.

Exit codes: 0 she is in; 1 Keycloak did something else; 64 wrong usage; 130 Ctrl-C, 143 SIGTERM;
else pushauth's own.
HELP
    [[ $* == --help ]] && exit 0
    exit 64
fi
for program in pushauth curl docker; do
    command -v "$program" >/dev/null || { echo "$program isn't in the PATH." >&2; exit 1; }
done

realm=http://localhost:8080/realms/demo
work=$(mktemp -d)
compose() { docker compose --file "$(dirname "$0")/compose.yaml" "$@"; }
trap 'compose down --volumes --rmi local >/dev/null 2>&1 || true; rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# Asks as one browser, and prints the page. curl takes http://localhost for secure, and so keeps the
# cookies of Keycloak, which does so, too (github.com/curl/curl/pull/9938; Keycloak's
# SecureContextResolver).
browse() {
    curl --silent --show-error --fail --location \
        --cookie "$work/cookies" --cookie-jar "$work/cookies" "$@"
}

# Prints the part of a page that an expression is after. URLs have their ampersands escaped there.
part() {
    [[ $1 =~ $2 ]] || { printf "Keycloak's page hasn't %s:\n%s\n" "$2" "$1" >&2; return 1; }
    echo "${BASH_REMATCH[1]//amp;/}"
}
# Names by push-register.ftl and push-wait.ftl of the extension, at the tag in compose.yaml.
form='action="([^"]*/login-actions/[^"]*)"'
token='id="kc-push-token"[^>]*>([^<]+)<'

# Begins a login in a new browser, gives the password, and prints the page after that.
log_in() {
    local page action
    rm -f "$work/cookies"
    page=$(browse --get --data client_id=browser --data response_type=code --data scope=openid \
        --data redirect_uri=http://localhost:8080/ "$realm/protocol/openid-connect/auth") &&
        action=$(part "$page" "$form") &&
        browse --data username=jane --data password=jane "$action"
}

compose up --build --force-recreate --detach
echo "Waiting for $realm"
curl --silent --fail --output /dev/null --retry 90 --retry-delay 2 --retry-all-errors "$realm" || {
    compose logs --tail 40 >&2
    echo "Keycloak isn't there after three minutes." >&2
    exit 1
}

cat >"$work/pushauth.toml" <<TOML
[server]
plain-http = true

[providers.keycloak]
issuer = "$realm"
client-id = "push-device-client"
client-secret = "device-client-secret"
TOML
authenticator=(--store "$work/store" --config "$work/pushauth.toml")

# A user without a device must enroll one.
page=$(log_in)
code=$(part "$page" "$token")
pushauth enroll --yes - "${authenticator[@]}" <<<"$code"

# Now the login waits for that device. The page's own script would send its form.
page=$(log_in)
action=$(part "$page" "$form")
pushauth pending "${authenticator[@]}"
pushauth approve --yes "${authenticator[@]}"
end=$(browse --no-location --output /dev/null --write-out '%{redirect_url}' --data '' "$action")
[[ $end == *[?\&]code=* ]] || { echo "Keycloak doesn't let her in: '$end'." >&2; exit 1; }
echo "Keycloak lets her in."
