"""Writes a program's manual page, of all its commands, from what ArgumentParser says of them.

Usage: manual.py PROGRAM DATE VERSION >PAGE, where PROGRAM is run with --experimental-dump-help.
"""

import json
import os
import re
import subprocess
import sys


def escaped(text):
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"^(['.])", r"\\&\1", text, flags=re.M)


def paragraphs(text):
    """A discussion: what is indented keeps its lines."""
    for block in text.strip().split("\n\n"):
        lines = block.split("\n")
        yield ".PP"
        for line in lines:
            if line.startswith("  "):
                yield ".nf"
                yield escaped(line)
                yield ".fi"
            else:
                yield escaped(line)


def spelled(argument):
    names = [("-" if name["kind"] == "short" else "--") + name["name"] for name in argument.get("names", [])]
    names.sort(key=len)
    value = argument.get("valueName", "")
    if argument["kind"] == "positional":
        return f"\\fI{escaped(value.upper())}\\fR" + (" ..." if argument["isRepeating"] else "")
    bold = ", ".join(f"\\fB{escaped(name)}\\fR" for name in names)
    return bold if argument["kind"] == "flag" else f"{bold} \\fI{escaped(value)}\\fR"


def synopsis(names, command):
    words = ["\\fB" + escaped(" ".join(names)) + "\\fR"]
    shown = [item for item in command.get("arguments", []) if item["shouldDisplay"]]
    if any(item["kind"] != "positional" for item in shown):
        words.append("[\\fIoptions\\fR]")
    for item in shown:
        if item["kind"] == "positional":
            words.append(f"[{spelled(item)}]" if item["isOptional"] else spelled(item))
    return " ".join(words)


def section(names, command):
    """A command, and those below it. Help and version are said once, at the program itself."""
    below = [child for child in command.get("subcommands", []) if child["commandName"] != "help"]
    if len(names) > 1 and not below:
        yield f'.SS "{escaped(" ".join(names[1:]))}"'
        yield escaped(command.get("abstract", ""))
        yield ".PP"
        yield synopsis(names, command)
        yield from paragraphs(command["discussion"]) if command.get("discussion") else ()
        for item in command.get("arguments", []):
            if item["shouldDisplay"] and item.get("valueName") not in ("help", "version"):
                yield ".TP"
                yield spelled(item)
                yield escaped(item.get("abstract", ""))
    for child in below:
        yield from section([*names, child["commandName"]], child)


def main():
    program, date, version = sys.argv[1:]
    # Defaults that it shows must not be those of whoever makes the page.
    environment = {"PATH": os.environ["PATH"], "HOME": "/nonexistent"}
    dump = subprocess.run([program, "--experimental-dump-help"], check=True, capture_output=True, env=environment)
    command = json.loads(dump.stdout)["command"]
    name = command["commandName"]
    abstract = command["abstract"].rstrip(".")
    print(f'.TH {name.upper()} 1 "{date}" "{name} {version}" "User Commands"')
    print(".SH NAME")
    print(f"{escaped(name)} \\- {escaped(abstract[0].lower() + abstract[1:])}")
    print(".SH SYNOPSIS")
    print(f"\\fB{escaped(name)}\\fR \\fIcommand\\fR [\\fIoptions\\fR]")
    print(".br")
    print(f"\\fB{escaped(name)}\\fR \\fIcommand\\fR \\fB\\-\\-help\\fR | \\fB\\-\\-version\\fR")
    if command.get("discussion"):
        print(".SH DESCRIPTION")
        print("\n".join(paragraphs(command["discussion"])))
    print(".SH COMMANDS")
    print("\n".join(section([name], command)))
    print(".SH SEE ALSO")
    print("\\fBpush\\-lab\\fR(1)" if name == "pushauth" else "\\fBpushauth\\fR(1)")


main()
