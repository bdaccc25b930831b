"""Writes a CycloneDX 1.6 bill of materials for each product of the SDK and each program.

Usage: bills.py GRAPH VERSION SWIFT-VERSION FOLDER; GRAPH is what `swift package show-dependencies
--format json` says of Examples. `.ci/sbom` calls it.
"""

import json
import pathlib
import re
import sys
from concurrent.futures import ThreadPoolExecutor

from closure import Closure, manifest, packages

PROGRAMS = ("pushauth", "push-lab")

# What packages hold a copy of, as nothing says it in a form to read: name, license, a file that says
# the version, and how.
VENDORED = {
    "swift-crypto": [
        ("BoringSSL", "Apache-2.0", "Package.swift", r"BoringSSL Commit: (\w+)"),
        ("XKCP", "CC0-1.0", "Sources/CXKCP/vendored-sources.txt", r"XKCP#master \(.*-g(\w+)\)"),
    ],
    "swift-nio-ssl": [("BoringSSL", "Apache-2.0", "Package.swift", r"BoringSSL Commit: (\w+)")],
    "swift-nio": [
        ("llhttp", "MIT", "Sources/CNIOLLHTTP/include/c_nio_llhttp.h",
         r"VERSION_MAJOR (\d+)[\s\S]*?_MINOR (\d+)[\s\S]*?_PATCH (\d+)"),
        ("KAME SHA-1", "BSD-3-Clause", "Sources/CNIOSHA1/c_nio_sha1.c", r"sha1\.c,v ([\d.]+) "),
    ],
    "tomlkit": [("toml++", "MIT", "Sources/CTOML/Sources/toml.hpp", r"toml\+\+ v([\d.]+)")],
}


def license_of(node):
    text = next(pathlib.Path(node["path"]).glob("LICENSE*")).read_text()
    if "Runtime Library Exception" in text:
        return {"expression": "Apache-2.0 WITH Swift-exception"}
    if re.search(r"Apache License\s+Version 2\.0", text):
        return {"license": {"id": "Apache-2.0"}}
    if text.lstrip().startswith("MIT License"):
        return {"license": {"id": "MIT"}}
    raise SystemExit(f"sbom: the license of {node['identity']} isn't one that this script knows")


def component(identity, node):
    url = node["url"].removesuffix(".git")
    purl = f"pkg:swift/{url.removeprefix('https://')}@{node['version']}"
    result = {
        "type": "library", "bom-ref": purl, "name": node["name"], "version": node["version"],
        "licenses": [license_of(node)], "purl": purl,
        "externalReferences": [{"type": "vcs", "url": node["url"]}],
    }
    parts = []
    for name, license_id, file, pattern in VENDORED.get(identity, []):
        match = re.search(pattern, (pathlib.Path(node["path"]) / file).read_text())
        if not match:
            raise SystemExit(f"sbom: {file} of {identity} doesn't say the version of {name}")
        parts.append({
            "type": "library", "bom-ref": f"{purl}#{name}", "name": name,
            "version": ".".join(match.groups()), "licenses": [{"license": {"id": license_id}}],
        })
    if parts:
        result["components"] = parts
    return result


def bill(name, kind, closure, graph, version, swift):
    root = f"{name}@{version}"
    own = {"swift-push-auth", "push-auth-examples"}
    components = [component(identity, graph[identity]) for identity in closure.links if identity not in own]
    refs = {identity: item["bom-ref"] for identity, item in
            zip((i for i in closure.links if i not in own), components)}
    direct = {refs[link] for package in own & set(closure.links) for link in closure.links[package] - own}
    extra = set(closure.libraries)
    if kind == "application":
        # Linked in, as Debian has none of it.
        components.append({
            "type": "library", "bom-ref": f"swift-runtime@{swift}", "name": "Swift runtime and Foundation",
            "version": swift, "licenses": [{"expression": "Apache-2.0 WITH Swift-exception AND Unicode-3.0"}],
            "externalReferences": [{"type": "vcs", "url": "https://github.com/swiftlang/swift"}],
        })
        direct.add(f"swift-runtime@{swift}")
        extra |= {("glibc", "LGPL-2.1-or-later"), ("libstdc++ and libgcc", "GPL-3.0-or-later WITH GCC-exception-3.1")}
    for library, terms in sorted(extra):
        licenses = {"expression": terms} if " WITH " in terms else {"license": {"id": terms}}
        components.append({
            "type": "library", "bom-ref": f"system:{library}", "name": library, "licenses": [licenses],
            "description": "The operating system's, in the version that it has; found when it runs.",
        })
        direct.add(f"system:{library}")
    relations = [{"ref": root, "dependsOn": sorted(direct)}]
    relations += [{"ref": refs[identity], "dependsOn": sorted(refs[link] for link in closure.links[identity])}
                  for identity in refs]
    return {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json", "bomFormat": "CycloneDX",
        "specVersion": "1.6", "version": 1,
        "metadata": {"component": {
            "type": kind, "bom-ref": root, "name": name, "version": version,
            "licenses": [{"license": {"id": "Apache-2.0"}}]}},
        "components": sorted(components, key=lambda item: item["bom-ref"]),
        "dependencies": sorted(relations, key=lambda item: item["ref"]),
    }


def main():
    graph_file, version, swift, folder = sys.argv[1:]
    graph = packages(json.loads(pathlib.Path(graph_file).read_text()), {})
    with ThreadPoolExecutor(2) as pool:
        manifests = dict(zip(graph, pool.map(manifest, graph.values())))
    # `make fuzz` and `make bench` alone have more.
    products = [(name["name"], "library", "swift-push-auth", None, name["targets"])
                for name in manifests["swift-push-auth"]["products"]]
    products += [(name, "application", "push-auth-examples", "linux", [name]) for name in PROGRAMS]
    output = pathlib.Path(folder)
    output.mkdir(parents=True)
    for name, kind, package, platform, targets in products:
        closure = Closure(graph, manifests, platform)
        for target in targets:
            closure.add(package, target)
        text = json.dumps(bill(name, kind, closure, graph, version, swift), indent=2) + "\n"
        (output / f"{name}.cdx.json").write_text(text)


main()
