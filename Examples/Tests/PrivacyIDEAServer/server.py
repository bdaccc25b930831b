"""Runs the real privacyIDEA server on this machine, for tests.

    python server.py --state DIRECTORY --certificate FILE --key FILE [--port PORT] [--users NAME ...]

It runs in the environment that `make python` makes. The first start makes the server's keys, tables and
administrator, a realm with the users, and what lets them enroll push tokens; a directory that has all that
is gone on with. One line of JSON says that the server accepts requests, and how to use it. The process then
does what the lines of its standard input say:

    restart          it begins again in the same directory and at the same port, as after a crash
    firebase URL     the Firebase gateway sends to this address instead of Google's

It ends, and removes the directory, when its standard input does: a test that is gone leaves nothing behind.
The log of requests goes to standard error.
"""

import argparse
import json
import logging
import os
import pathlib
import secrets
import shutil
import ssl
import sys
import threading
import time

BEGINNING = time.monotonic()

# Never through a proxy: all of it is on this machine.
os.environ["NO_PROXY"] = os.environ["no_proxy"] = "127.0.0.1,localhost"

ADMINISTRATOR = "admin"
REALM = "lab"


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--state", required=True, type=pathlib.Path)
    parser.add_argument("--certificate", required=True)
    parser.add_argument("--key", required=True)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--users", nargs="+", default=["ada", "grace"])
    return parser.parse_args()


class State:
    """The directory with all that outlives a restart."""

    def __init__(self, directory):
        self.directory = directory.resolve()
        self.directory.mkdir(parents=True, exist_ok=True)
        self.configuration = self.directory / "server.cfg"
        self.users = self.directory / "users"
        self.mark = self.directory / "administrator.json"

    @property
    def is_new(self):
        return not self.mark.exists()

    def prepare(self, users):
        settings = {
            "SUPERUSER_REALM": [],
            "SECRET_KEY": secrets.token_hex(32),
            "PI_PEPPER": secrets.token_hex(16),
            # Several threads write, and SQLite lets one at a time.
            "SQLALCHEMY_DATABASE_URI": f"sqlite:///{self.directory}/database?timeout=30",
            "PI_ENCFILE": f"{self.directory}/encryption.key",
            "PI_AUDIT_KEY_PRIVATE": f"{self.directory}/audit.key",
            "PI_AUDIT_KEY_PUBLIC": f"{self.directory}/audit.pub",
            "PI_LOGFILE": f"{self.directory}/server.log",
            "PI_LOGLEVEL": logging.INFO,
            "PI_UUID_FILE": f"{self.directory}/uuid",
        }
        self.configuration.write_text("".join(f"{name} = {value!r}\n" for name, value in settings.items()))
        # They have no passwords: each of their tokens has a PIN.
        self.users.write_text(
            "".join(f"{name}:x:{1000 + index}:100:{name},,,:/:/bin/false\n" for index, name in enumerate(users)))

    def remove(self):
        shutil.rmtree(self.directory, ignore_errors=True)


def make_server_keys_and_tables(password):
    from privacyidea.cli.pimanage.main import cli

    for command in (
        "setup create_enckey", "setup create_audit_keys", "setup create_tables",
        f"admin add {ADMINISTRATOR} --password {password}",
    ):
        cli.main(args=command.split(), prog_name="pi-manage", standalone_mode=False)


class Administrator:
    """Calls the server's REST API, in this process and before it listens."""

    def __init__(self, app, password):
        self.client = app.test_client()
        reply = self.call("/auth", {"username": ADMINISTRATOR, "password": password})
        self.headers = {"Authorization": reply["token"]}

    headers = {}

    def call(self, path, body):
        reply = self.client.post(path, json=body, headers=self.headers)
        if reply.status_code != 200:
            raise SystemExit(f"POST {path}: {reply.status_code} {reply.get_data(as_text=True)}")
        return reply.json["result"]["value"]

    def set_up(self, users, origin):
        self.call("/resolver/users", {"type": "passwdresolver", "fileName": str(users)})
        self.call(f"/realm/{REALM}", {"resolvers": "users"})
        self.call(f"/defaultrealm/{REALM}", {})
        self.call("/policy/enrolling", {
            "scope": "enrollment", "active": True, "priority": 9,
            "action": {
                "push_firebase_configuration": "poll only", "push_registration_url": f"{origin}/ttype/push",
                "push_ttl": "10",
            }})
        self.call("/policy/texts", {
            "scope": "authentication", "active": True, "priority": 9,
            "action": {"push_text_on_mobile": "Log in as {user}?", "push_title_on_mobile": "Example Bank"}})


def serve(app, options):
    from werkzeug.serving import WSGIRequestHandler, make_server

    class Handler(WSGIRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_request(self, code="-", size="-"):
            # The query of a poll has a signature.
            say(f"{self.command} {self.path.partition('?')[0]} {code}")

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(options.certificate, options.key)
    return make_server(
        "127.0.0.1", options.port, app, threaded=True, request_handler=Handler, ssl_context=context)


def say(text):
    print(text, file=sys.stderr, flush=True)


def obey(state, port):
    """Does what is said on standard input, until it ends."""
    rest = b""
    while chunk := os.read(0, 4096):
        *lines, rest = (rest + chunk).split(b"\n")
        for line in lines:
            command, _, argument = line.decode().partition(" ")
            if command == "restart":
                words = [word for word in sys.argv if not word.startswith("--port=")]
                os.execv(sys.executable, [sys.executable, *words, f"--port={port}"])
            elif command == "firebase":
                # The provider has no setting for it; all else is the server as it came.
                from privacyidea.lib.smsprovider import FirebaseProvider

                FirebaseProvider.FIREBASE_URL_SEND = argument + "/v1/projects/{0!s}/messages:send"
                print(json.dumps({"firebase": argument}), flush=True)
    state.remove()
    os._exit(0)


def main():
    options = arguments()
    state = State(options.state)
    is_new = state.is_new
    password = secrets.token_hex(12) if is_new else json.loads(state.mark.read_text())["password"]
    if is_new:
        state.prepare(options.users)
    os.environ["PRIVACYIDEA_CONFIGFILE"] = str(state.configuration)
    output = os.dup(1)
    os.dup2(2, 1)
    if is_new:
        make_server_keys_and_tables(password)

    from privacyidea.app import create_app
    from privacyidea.lib.utils import get_version_number

    app = create_app(config_name="production", config_file=str(state.configuration), silent=True)
    server = serve(app, options)
    origin = f"https://127.0.0.1:{server.port}"
    if is_new:
        Administrator(app, password).set_up(state.users, origin)
        state.mark.write_text(json.dumps({"password": password}))
    os.dup2(output, 1)
    threading.Thread(target=obey, args=(state, server.port), daemon=True).start()
    print(json.dumps({
        "url": origin, "administrator": ADMINISTRATOR, "password": password, "realm": REALM,
        "version": get_version_number(), "log": str(state.directory / "server.log"),
        "seconds": round(time.monotonic() - BEGINNING, 1),
    }), flush=True)
    server.serve_forever()


main()
