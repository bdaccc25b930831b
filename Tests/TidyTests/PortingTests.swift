import Testing

/// The pages that lead from a vendor's SDK to ours name what there is.
struct PortingTests {
    private static let here = Repository.here

    /// Each name in backquotes in the last column of a page's tables of calls, without its owner and
    /// its arguments.
    private static func names(in page: [Substring]) -> Set<Substring> {
        var names: Set<Substring> = []
        var isOurs = false
        for line in page {
            guard line.hasPrefix("|") else {
                isOurs = false
                continue
            }
            let cells = line.split(separator: "|")
            guard let last = cells.last else { continue }
            if last.contains("Ours") { isOurs = true }
            guard isOurs else { continue }
            for match in last.matches(of: /`\.?([^`(]+)[^`]*`/) {
                guard let name = match.1.split(separator: ".").last else { continue }
                names.insert(name)
            }
        }
        return names
    }

    /// The names that the lists of the public API declare.
    private static func declared() throws -> Set<Substring> {
        var names: Set<Substring> = []
        for file in try here.paths(in: ["docs/api"], endingWith: ".txt") {
            for line in try here.lines(of: file) {
                guard let path = line.split(separator: ":", maxSplits: 1).first else { continue }
                for part in path.split(separator: ".") { names.insert(part.prefix { $0 != "(" }) }
            }
        }
        return names
    }

    @Test func `what a porting page offers is in the public API`() throws {
        let declared = try Self.declared()
        // A vendor without published code has its table on its own page.
        let pages =
            try Self.here.paths(in: ["docs/guides"]).filter { $0.contains("/porting-") }
            + ["docs/vendors/onespan.md", "docs/vendors/xignin.md"]
        #expect(pages.count == 5)
        // Swift's word, and the name of a module.
        let others: Set<Substring> = ["nil", "PushCore"]
        for page in pages {
            let names = try Self.names(in: Self.here.lines(of: page))
            #expect(names.count > 8, "\(page)")
            #expect(names.subtracting(declared).subtracting(others).sorted() == [], "\(page)")
        }
    }

    @Test func `a name that isn't there is found`() {
        let page: [Substring] = [
            "| Vendor's call | Ours |", "|---|---|", "| `theirs()` | `One.two(_:)`, or `.three` |",
            "", "| 1.9 | 2.0 |", "| `a` | `b` |",
        ]
        #expect(Self.names(in: page) == ["two", "three"])
    }
}
