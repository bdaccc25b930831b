/// What a Swift file defines and what it names, comments and literals aside.
struct SwiftNames: Sendable {
    /// The types at its top level that other files see.
    private(set) var defined: Set<String> = []

    /// The names with a capital that stand by themselves, not behind a dot.
    private(set) var named: Set<String> = []

    private let bytes: [UInt8]
    private var index = 0
    private var depth = 0
    private var lastWord = ""
    private var isHidden = false

    private static let kinds: Set = [
        "struct", "class", "enum", "actor", "protocol", "typealias", "macro",
    ]
    private static let declarations = kinds.union(["let", "var", "func", "extension", "import"])

    init(_ text: String) {
        bytes = Array(text.utf8)
        while index < bytes.count { step() }
    }

    private func stands(_ text: StaticString, at place: Int) -> Bool {
        text.withUTF8Buffer { bytes[place...].starts(with: $0) }
    }

    private mutating func step() {
        let byte = bytes[index]
        switch byte {
        case UInt8(ascii: "/") where stands("//", at: index):
            index = bytes[index...].firstIndex(of: 0x0A) ?? bytes.count
        case UInt8(ascii: "/") where stands("/*", at: index):
            skipComment()
        case UInt8(ascii: "#") where stands("#/", at: index):
            repeat { index += 1 } while index < bytes.count && !stands("/#", at: index)
            index += 2
        case UInt8(ascii: "#"), UInt8(ascii: "\""):
            guard let marks = marksBeforeQuote else {
                index += 1
                return
            }
            index += marks
            skipLiteral(marks)
        case _ where Self.begins(byte):
            takeWord()
        default:
            if byte == UInt8(ascii: "{") { depth += 1 }
            if byte == UInt8(ascii: "}") { depth -= 1 }
            index += 1
        }
    }

    private mutating func skipComment() {
        var open = 0
        repeat {
            if stands("/*", at: index) {
                (open, index) = (open + 1, index + 2)
            } else if stands("*/", at: index) {
                (open, index) = (open - 1, index + 2)
            } else {
                index += 1
            }
        } while open > 0 && index < bytes.count
    }

    /// How many number signs stand before a quotation mark here; `nil` if no literal begins.
    private var marksBeforeQuote: Int? {
        let rest = bytes[index...]
        let marks = rest.prefix { $0 == UInt8(ascii: "#") }.count
        return rest.dropFirst(marks).first == UInt8(ascii: "\"") ? marks : nil
    }

    private mutating func skipLiteral(_ marks: Int) {
        let signs = [UInt8](repeating: UInt8(ascii: "#"), count: marks)
        let quote: [UInt8] = stands(#"""""#, at: index) ? [0x22, 0x22, 0x22] : [0x22]
        index += quote.count
        while index < bytes.count {
            if bytes[index...].starts(with: quote + signs) {
                index += quote.count + marks
                return
            }
            if bytes[index...].starts(with: [UInt8(ascii: "\\")] + signs) {
                index += 1 + marks
                guard index < bytes.count else { return }
                if bytes[index] == UInt8(ascii: "(") { skipInterpolation() } else { index += 1 }
            } else {
                index += 1
            }
        }
    }

    private mutating func skipInterpolation() {
        var open = 0
        repeat {
            if let marks = marksBeforeQuote {
                index += marks
                skipLiteral(marks)
                continue
            }
            if bytes[index] == UInt8(ascii: "(") { open += 1 }
            if bytes[index] == UInt8(ascii: ")") { open -= 1 }
            index += 1
        } while open > 0 && index < bytes.count
    }

    private static func begins(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "_") || 0x41...0x5A ~= byte || 0x61...0x7A ~= byte
    }

    private mutating func takeWord() {
        let isMember = index > 0 && bytes[index - 1] == UInt8(ascii: ".")
        let word = bytes[index...].prefix { Self.begins($0) || 0x30...0x39 ~= $0 }
        index += word.count
        let name = String(decoding: word, as: UTF8.self)
        defer { lastWord = name }
        guard !isMember else { return }
        if 0x41...0x5A ~= word.first ?? 0 {
            named.insert(name)
            if depth == 0, Self.kinds.contains(lastWord) {
                if !isHidden { defined.insert(name) }
                isHidden = false
            }
        } else if depth == 0 {
            if name == "private" || name == "fileprivate" {
                isHidden = true
            } else if Self.declarations.contains(name), !Self.kinds.contains(name) {
                isHidden = false
            }
        }
    }
}

/// Which files of a target name types of which others.
struct References: Sendable {
    /// The names by which a file refers to another one.
    private(set) var names: [String: [String: Set<String>]] = [:]

    /// - Parameter sources: All files of the target.
    init(_ sources: [Source]) {
        let files = sources.map {
            (path: $0.path, names: SwiftNames($0.lines.joined(separator: "\n")))
        }
        var places: [String: Set<String>] = [:]
        for file in files {
            for name in file.names.defined { places[name, default: []].insert(file.path) }
        }
        for file in files {
            names[file.path] = [:]
            for name in file.names.named {
                for place in places[name] ?? [] where place != file.path {
                    names[file.path]?[place, default: []].insert(name)
                }
            }
        }
    }

    /// The files that refer to each other, directly or around: each set once, the largest first.
    var cycles: [Set<String>] {
        var found: [Set<String>] = []
        let reached = names.mapValues { _ in Set<String>() }.merging(
            names.keys.map { ($0, reach(from: $0)) }, uniquingKeysWith: { $1 })
        for file in names.keys.sorted() where !found.contains(where: { $0.contains(file) }) {
            let cycle = (reached[file] ?? []).filter { reached[$0]?.contains(file) == true }
            if cycle.count > 1 { found.append(cycle) }
        }
        return found.sorted { $0.count > $1.count }
    }

    private func reach(from file: String) -> Set<String> {
        var (reached, next): (Set<String>, [String]) = ([], [file])
        while let file = next.popLast() {
            for other in names[file, default: [:]].keys where reached.insert(other).inserted {
                next.append(other)
            }
        }
        return reached
    }

    /// What ties a cycle together, one reference a line.
    func print(of cycle: Set<String>) -> String {
        cycle.sorted().flatMap { file in
            names[file, default: [:]].filter { cycle.contains($0.key) }.sorted { $0.key < $1.key }
                .map { "\(file) names \($0.value.sorted().joined(separator: ", ")) of \($0.key)" }
        }.joined(separator: "\n")
    }
}
