import Testing

/// A switch over a public enum of `Modules` names every case, so that the compiler shows each place
/// that a new one needs; from another package, with `@unknown default`. Tuples aren't looked at.
struct SwitchesTests {
    private static let rooms = [
        "Modules/", "Plugins/", "Examples/", "Tests/Simulation/", "Tests/FictionalVendor/",
    ]

    /// The kinds of JSON are the RFC's. Of `PushError.Code`, which has thirty, most switches mean a
    /// few; what each code must say stands in `Backoff.swift` and `ExitStatus.swift`.
    private static let exempt: Set<Substring> = ["JSON", "Code"]

    /// The cases of each public enum.
    private static func enums(in sources: [Source]) -> [Set<Substring>] {
        sources.flatMap { source in
            source.code.indices.compactMap { index -> Set<Substring>? in
                guard
                    let match = source.code[index].prefixMatch(
                        of: /( *)public (?:indirect )?enum (\w+)/),
                    !exempt.contains(match.2)
                else { return nil }
                let (mark, end) = (match.1 + "    case ", match.1 + "}")
                let own = source.code[(index + 1)...].prefix { $0 != end }
                return Set(
                    own.filter { $0.hasPrefix(mark) }
                        .map { $0.dropFirst(mark.count).prefix { $0.isLetter || $0.isNumber } })
            }
        }
    }

    /// The cases that a switch names before its `default`; none if it matches anything else as well.
    private static func names(before end: Int, in code: [Substring]) -> Set<Substring> {
        let indentation = code[end].prefix { $0 == " " }
        var (names, next): (Set<Substring>, Int) = ([], end)
        for index in (0..<end).reversed() where !code[index].isEmpty {
            guard code[index].hasPrefix(indentation) else { break }
            let text = code[index].dropFirst(indentation.count)
            if text.hasPrefix("case ") {
                guard let cases = cases(in: code[index..<next].joined(separator: " ")) else {
                    return []
                }
                names.formUnion(cases)
                next = index
            } else if !text.hasPrefix(" "), text.contains("switch ") {
                break
            }
        }
        return names
    }

    /// The cases that a pattern names; `nil` if it isn't of cases alone.
    private static func cases(in branch: String) -> [Substring]? {
        var text = branch.drop { $0 == " " }.dropFirst("case ".count)
        guard !text.hasPrefix("(") else { return nil }
        while let values = text.firstMatch(of: /\([^()]*\)/) { text.removeSubrange(values.range) }
        var names: [Substring] = []
        for pattern in text.prefix(while: { $0 != ":" }).split(separator: ",") {
            guard
                let match = pattern.wholeMatch(
                    of: /\s*(?:\.(\w+)\??|nil|_)(?:\s+where .*)?\s*/)
            else { return nil }
            if let name = match.1 { names.append(name) }
        }
        return names
    }

    /// The places of a `default` in a switch over one of these enums.
    private static func breaches(in sources: [Source], of enums: [Set<Substring>]) -> [String] {
        sources.flatMap { source in
            source.code.indices.filter { index in
                guard source.code[index].drop(while: { $0 == " " }).hasPrefix("default:") else {
                    return false
                }
                let names = names(before: index, in: source.code)
                return !names.isEmpty && enums.contains { names.isSubset(of: $0) }
            }.map(source.place)
        }
    }

    @Test func `no switch over a public enum has a default`() throws {
        let sources = try Repository.here.sources()
        let enums = Self.enums(in: sources.filter { $0.path.hasPrefix("Modules/") })
        #expect(enums.count > 50)
        #expect(enums.contains(["unexpected", "fraud", "ignore", "custom"]))
        let all = sources.filter { source in Self.rooms.contains { source.path.hasPrefix($0) } }
        #expect(all.count > 800)
        #expect(Self.breaches(in: all, of: enums) == [])
    }

    @Test func `a default beside an enum's cases is found, and no other`() {
        let enums = Self.enums(in: [
            Source(
                """
                    public enum A: Sendable {
                        /// One.
                        case one
                        case two(Int)
                        case sha256

                        var b: Int { switch self { case .one: 1 } }
                    }
                    public enum JSON {
                        case null
                    }
                """)
        ])
        #expect(enums == [["one", "two", "sha256"]])
        func finds(_ branches: String...) -> Bool {
            let lines = ["switch a {"] + branches + ["default: break", "}"]
            let text = lines.map { "    " + $0 }.joined(separator: "\n")
            return !Self.breaches(in: [Source(text)], of: enums).isEmpty
        }
        #expect(finds("case .one: b()"))
        #expect(finds("case .one?, nil: b(\":\")", "    c()", "case _ where d: e()"))
        #expect(finds("case .two(let b) where c(b),", "    .two(3):", "    d()"))
        #expect(!finds("case .two(let b) where c(b),", "    .three:", "    d()"))
        #expect(finds("// Why.", "case .one:", "    switch b {", "    case .three: c()", "    }"))
        #expect(!finds("case .one: b()", "case .three: c()"))
        #expect(!finds("case (.one, .one): b()"))
        #expect(!finds("case \"one\": b()") && !finds("case .null: b()") && !finds("case 1: b()"))
        #expect(!finds("case .one: b()", "case let b as C: d()"))
    }
}
