"""Gathers the licenses of what is linked into the programs: licenses.py BILLS CHECKOUTS SWIFT FOLDER

BILLS is a folder that `.ci/sbom` has made, CHECKOUTS where SwiftPM has put the packages, SWIFT the
toolchain's license. Writes each package's license and notice into FOLDER, and Debian's summary of them into
FOLDER/../copyright.
"""

import json
import pathlib
import re
import shutil
import sys

# What has its terms in a source file alone, or in a file beside it.
IN_SOURCES = {
    "XKCP": "swift-crypto/Sources/CXKCP/FIPS202-opt64/KeccakHash.c",
    "toml++": "TOMLKit/Sources/CTOML/Sources/toml.hpp",
    "KAME SHA-1": "swift-nio/Sources/CNIOSHA1/c_nio_sha1.c",
    "llhttp": "swift-nio/Sources/CNIOLLHTTP/LICENSE",
}


def terms(path):
    """What a file says of its license: a text's all, else the comments up to the one that says it."""
    text = path.read_text()
    if path.suffix:
        lines = re.match(r"(?://.*\n|\s*\n)+", text)
        blocks = re.match(r"(?:\s*/\*[\s\S]*?\*/)+", text)
        text = (lines or blocks or [""])[0]
    if not re.search("Permission is hereby granted|Redistribution and use|waived all copyright", text):
        raise SystemExit(f"licenses: {path} doesn't begin with terms")
    return text.strip() + "\n"


def main():
    bills, checkouts, swift, folder = map(pathlib.Path, sys.argv[1:])
    folder.mkdir(parents=True)
    found = {}
    for name in ("pushauth", "push-lab"):
        for component in json.loads((bills / f"{name}.cdx.json").read_text())["components"]:
            if not component["bom-ref"].startswith("system:"):
                found[component["bom-ref"]] = component
    rows = []
    for reference, component in sorted(found.items()):
        name = component["name"]
        license_of = lambda item: item["licenses"][0].get("expression") or item["licenses"][0]["license"]["id"]
        if reference.startswith("swift-runtime"):
            shutil.copy(swift, folder / "Swift.txt")
            shutil.copy(pathlib.Path(__file__).parent / "Unicode-3.0.txt", folder / "ICU.txt")
        else:
            place = checkouts / reference.split("@")[0].rsplit("/", 1)[1]
            files = [*place.glob("LICENSE*"), *place.glob("NOTICE*")]
            if not files:
                raise SystemExit(f"licenses: {place} has none")
            for file in sorted(files):
                kind = file.stem.lower().replace("license", "").replace("notice", "-notice")
                shutil.copy(file, folder / f"{name}{kind}.txt")
        rows.append(f" {name} {component['version']}: {license_of(component)}")
        for part in component.get("components", []):
            if part["name"] in IN_SOURCES:
                (folder / f"{part['name'].replace(' ', '-')}.txt").write_text(
                    terms(checkouts / IN_SOURCES[part["name"]]))
            elif part["name"] != "BoringSSL":
                raise SystemExit(f"licenses: the terms of {part['name']} aren't known")
            rows.append(f"  which holds {part['name']} {part['version']}: {license_of(part)}")
    (folder.parent / "copyright").write_text(
        "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\n"
        "Upstream-Name: swift-push-auth\n"
        "Comment: Linked into the programs, each with its license in the folder licenses:\n"
        + "\n".join(rows)
        + "\n\nFiles: *\nCopyright: 2026 the contributors of swift-push-auth\nLicense: Apache-2.0\n"
        " On Debian systems, the text is in /usr/share/common-licenses/Apache-2.0.\n")
    for file in folder.iterdir():
        file.chmod(0o644)


main()
