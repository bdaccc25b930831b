"""What a product is made of, by the manifests of every package of a graph."""

import json
import subprocess

# What Debian brings, in whatever version it has: by the target that loads it, as no manifest links it.
LOADED = {
    "CPushCurl": {("libcurl", "curl"), ("OpenSSL", "Apache-2.0")},
    "CPushPostgres": {("libpq", "PostgreSQL")},
}


def packages(node, found):
    """Every package of the graph by its identity; a path is where it lies."""
    found.setdefault(node["name"].lower() if node["version"] == "unspecified" else node["identity"], node)
    for child in node["dependencies"]:
        packages(child, found)
    return found


def manifest(node):
    command = ["swift", "package", "--package-path", node["path"], "dump-package"]
    return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)


class Closure:
    """What a product is made of: targets, and so packages and libraries of the system."""

    def __init__(self, graph, manifests, platform):
        self.graph, self.manifests, self.platform = graph, manifests, platform
        self.seen, self.libraries, self.links = set(), set(), {}

    def applies(self, package, condition):
        condition = condition or {}
        names, traits = condition.get("platformNames") or [], condition.get("traits") or []
        enabled = self.graph[package].get("traits", [])
        return (not names or not self.platform or self.platform in names) and (
            not traits or any(trait in enabled for trait in traits))

    def product(self, package, name):
        """The targets of a product, whether this package's or, by its name alone, a dependency's."""
        for identity in [package, *(self.links_of(package))]:
            for product in self.manifests[identity]["products"]:
                if product["name"] == name:
                    return [(identity, target) for target in product["targets"]]
        raise SystemExit(f"sbom: {package} has no product {name}")

    def links_of(self, package):
        return [child["name"].lower() if child["version"] == "unspecified" else child["identity"]
                for child in self.graph[package]["dependencies"]]

    def add(self, package, name):
        if (package, name) in self.seen:
            return
        self.seen.add((package, name))
        self.links.setdefault(package, set())
        targets = {target["name"]: target for target in self.manifests[package]["targets"]}
        target = targets[name]
        self.libraries |= LOADED.get(name, set())
        for dependency in target["dependencies"]:
            kind, values = next(iter(dependency.items()))
            if not self.applies(package, values[-1]):
                continue
            if kind in ("target", "byName") and values[0] in targets:
                if targets[values[0]]["type"] not in ("macro", "plugin"):
                    self.add(package, values[0])
                continue
            for other, there in self.product(package, values[0]):
                if other != package:
                    self.links[package].add(other)
                self.add(other, there)
