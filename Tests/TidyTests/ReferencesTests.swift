import Testing

/// In which order a target's files can be read.
struct ReferencesTests {
    /// What one can have in one's head at a time.
    private static let largest = 6

    /// The core's folders: a file names only what its own folder holds, and those before it.
    private static let order = [
        "Bytes", "Errors", "JSON", "Values", "Store", "Network", "Ledger", "Protocols",
        "Authenticator", "Facade",
    ]

    /// The modules and the providers, each with its files.
    private func targets() throws -> [String: [Source]] {
        Dictionary(grouping: try Repository.here.shipped()) {
            let rooms = $0.path.split(separator: "/")
            return rooms.prefix(rooms[0] == "Modules" ? 2 : 3).joined(separator: "/")
        }.filter { $0.key.hasPrefix("Modules/") || $0.key.hasSuffix("/Provider") }
    }

    private static func knots(in sources: [Source]) -> [String] {
        let references = References(sources)
        return references.cycles.filter { $0.count > largest }.map {
            "\($0.count) files refer to each other:\n\(references.print(of: $0))"
        }
    }

    @Test func `no more than six files of a target refer to each other`() throws {
        let targets = try targets()
        #expect(targets.count > 12)
        for (target, sources) in targets {
            #expect(Self.knots(in: sources) == [], "\(target)")
        }
    }

    /// Files in a ring, each of which names the next one's type.
    private static func ring(_ count: Int, naming next: (Int) -> String) -> [Source] {
        (0..<count).map {
            Source("struct A\($0) {\n    \(next(($0 + 1) % count))\n}", at: "A\($0).swift")
        }
    }

    @Test func `a knot is found, and what ties it`() throws {
        #expect(Self.knots(in: Self.ring(6) { "let next: A\($0)?" }) == [])
        let knot = try #require(Self.knots(in: Self.ring(7) { "let next: A\($0)?" }).first)
        #expect(knot.hasPrefix("7 files refer to each other:\nA0.swift names A1 of A1.swift\n"))
        #expect(!Self.knots(in: Self.ring(7) { "let text = \"\"; let next: [A\($0)]" }).isEmpty)
    }

    @Test(arguments: [
        "// A#", "/* /* */ A# */", "let text = \"A#\"", "let text = \"\\(b(\"A#\"))\"",
        "let text = #\"\"A#\"#", "let text = \"\"\"\n    A#\n    \"\"\"", "let next: B.A#",
        "let pattern = #/A#/#",
    ])
    func `comments, literals and other types' members tie nothing`(line: String) {
        let ring = Self.ring(7) { line.replacing("A#", with: "A\($0)") }
        #expect(References(ring).cycles == [])
    }

    @Test func `a file's private types are its own`() {
        let sources = [
            Source("private struct Part {}\nstruct One { let other: Other }", at: "1.swift"),
            Source("struct Other { let part: Part? }\nenum Part {}", at: "2.swift"),
        ]
        #expect(References(sources).cycles == [])
    }

    // MARK: The core's folders

    /// References from a folder to a later one, or out of the order.
    private static func breaches(in sources: [Source], below prefix: String) -> [String] {
        func rank(_ path: String) -> Int? {
            let folder = path.dropFirst(prefix.count).prefix { $0 != "/" }
            return order.firstIndex(of: String(folder))
        }
        let references = References(sources)
        return references.names.flatMap { file, others in
            others.compactMap { other, names in
                guard let one = rank(file), let two = rank(other), two <= one else {
                    return "\(file) names \(names.sorted().joined(separator: ", ")) of \(other)"
                }
                return nil
            }
        }.sorted()
    }

    @Test func `the core's folders stand in one order`() throws {
        let core = "Modules/PushCore/"
        let sources = try Repository.here.shipped().filter { $0.path.hasPrefix(core) }
        #expect(Self.breaches(in: sources, below: core) == [])
    }

    @Test func `a reference to a later folder is found`() {
        let sources = [
            Source("struct Row { let vault: Vault }", at: "Values/Row.swift"),
            Source("struct Vault { let row: Row }", at: "Protocols/Vault.swift"),
            Source("struct Elsewhere { let row: Row }", at: "New/Elsewhere.swift"),
        ]
        #expect(
            Self.breaches(in: sources, below: "") == [
                "New/Elsewhere.swift names Row of Values/Row.swift",
                "Values/Row.swift names Vault of Protocols/Vault.swift",
            ])
    }
}
