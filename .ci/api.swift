// Lists the public API in a folder of symbol graphs: one declaration per line, sorted.

import Foundation

struct Graph: Decodable {
    struct Symbol: Decodable {
        struct Identifier: Decodable {
            let precise: String
        }

        struct Fragment: Decodable {
            let spelling: String
        }

        let identifier: Identifier
        let pathComponents: [String]
        let declarationFragments: [Fragment]?

        var name: String { pathComponents.joined(separator: ".") }

        var declaration: String {
            (declarationFragments ?? []).map(\.spelling).joined()
                .split(whereSeparator: \.isWhitespace).joined(separator: " ")
        }
    }

    struct Relationship: Decodable {
        let kind: String
        let source: String
        let target: String
        let targetFallback: String?
    }

    let symbols: [Symbol]
    let relationships: [Relationship]
}

// What the compiler adds to every type by itself says nothing.
let implied: Set = ["Copyable", "Escapable", "SendableMetatype"]

let folder = URL(fileURLWithPath: CommandLine.arguments[1])
let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
let graphs = try files.filter { $0.lastPathComponent.hasSuffix(".symbols.json") }
    .map { try JSONDecoder().decode(Graph.self, from: Data(contentsOf: $0)) }

var names: [String: String] = [:]
for symbol in graphs.flatMap(\.symbols) { names[symbol.identifier.precise] = symbol.name }

var lines: Set<String> = []
for graph in graphs {
    for symbol in graph.symbols { lines.insert("\(symbol.name): \(symbol.declaration)") }
    for link in graph.relationships where link.kind == "conformsTo" {
        guard var conformance = names[link.target] ?? link.targetFallback else { continue }
        if conformance.hasPrefix("Swift.") { conformance.removeFirst("Swift.".count) }
        if implied.contains(conformance) { continue }
        let type = names[link.source] ?? link.source
        lines.insert("\(type): conforms to \(conformance)")
    }
}
for line in lines.sorted() { print(line) }
