import Testing

/// What pages and comments rest on: tests that exist, and texts that a reader can open.
struct EvidenceTests {
    private static let here = Repository.here

    // MARK: Tests that pages cite

    /// The tests of each suite, by the suite's name, its file's and its target's.
    private struct Suites {
        private(set) var tests: [Substring: Set<Substring>] = [:]

        init(_ sources: [Source]) {
            for source in sources {
                let text = source.lines.joined(separator: "\n")
                let names =
                    text.matches(
                        of: /\b(?:struct|enum|actor|class|extension) `?([A-Za-z0-9_.]+)/
                    ).compactMap { $0.1.split(separator: ".").last }
                let functions = text.matches(of: /func (?:`([^`]+)`|([A-Za-z0-9_]+))/)
                    .compactMap { $0.1 ?? $0.2 }
                // Of a file, a suite or a target.
                let path = source.path.split(separator: "/")
                    .compactMap { $0.split(separator: ".").first }
                for name in Set(names + path) {
                    tests[name, default: []].formUnion(functions)
                }
            }
        }
    }

    /// A page's citations: `ThoseTests` and the tests in backquotes that follow it, parted by no more
    /// than commas and "and".
    private static func citations(in page: String) -> [(suite: Substring, test: Substring?)] {
        let text = page.replacing(/```[\s\S]*?```/, with: "").split { $0.isWhitespace }
            .joined(separator: " ")
            // A suite's name that stands in backquotes, with its target's before it or not.
            .replacing(/`(?:[A-Za-z]+\.)?([A-Za-z0-9]+Tests)`/) { $0.1 }
        return text.matches(of: /\b([A-Z][A-Za-z0-9]*Tests)\b((?:(?:,|;|and|\s)+`[^`]+`)*)/)
            .flatMap { match -> [(Substring, Substring?)] in
                let tests = match.2.matches(of: /`([^`]+)`/).map { $0.1 }
                return tests.isEmpty ? [(match.1, nil)] : tests.map { (match.1, $0) }
            }
    }

    private static func missing(in page: String, of suites: Suites) -> [String] {
        citations(in: page).compactMap { suite, test in
            guard let tests = suites.tests[suite] else { return "\(suite) isn't there" }
            // A command isn't a test.
            guard let test, test.contains(" "), !test.hasPrefix("make "), !tests.contains(test)
            else { return nil }
            return "\(suite) has no `\(test)`"
        }
    }

    @Test func `every test that a page cites exists`() throws {
        let suites = Suites(
            try Self.here.sources().filter { $0.path.contains("Tests/") })
        var count = 0
        for path in try Self.here.paths(endingWith: ".md") where path != "CHANGELOG.md" {
            let page = try #require(try Self.here.text(of: path))
            #expect(Self.missing(in: page, of: suites) == [], "\(path)")
            count += Self.citations(in: page).count
        }
        #expect(count > 700)
    }

    @Test func `a citation of a test that isn't there is found`() {
        let suites = Suites([
            Source(
                "struct OneTests {\n    @Test func `a b c`() {}\n}", at: "Tests/A/OneTests.swift")
        ])
        #expect(Self.missing(in: "OneTests `a b\nc`.", of: suites) == [])
        #expect(Self.missing(in: "OneTests `a b c` and `d e f`.", of: suites).count == 1)
        #expect(Self.missing(in: "TwoTests `a b c`", of: suites).count == 1)
    }

    // MARK: Links

    /// What GitHub makes of a heading.
    private static func anchor(_ heading: some StringProtocol) -> String {
        heading.lowercased().filter { $0.isLetter || $0.isNumber || " -_".contains($0) }
            .replacing(" ", with: "-")
    }

    private static func anchors(of page: String) -> Set<String> {
        Set(
            page.replacing(/```[\s\S]*?```/, with: "").split(separator: "\n")
                .filter { $0.hasPrefix("#") }
                .map { anchor($0.drop { $0 == "#" }.dropFirst()) })
    }

    /// Links of a page that lead nowhere in this repository.
    private static func broken(in page: String, at path: String) throws -> [String] {
        let folder = path.split(separator: "/").dropLast()
        let links = page.replacing(/```[\s\S]*?```/, with: "")
            .matches(of: /\]\(([^)\s#]*)(?:#([^)\s]+))?\)/)
        return try links.compactMap { link -> String? in
            let target = link.1
            if target.contains(":") { return nil }
            var parts = folder
            for part in target.split(separator: "/") {
                if part == ".." {
                    parts = parts.dropLast()
                } else if part != "." {
                    parts.append(part)
                }
            }
            let file = target.isEmpty ? path : parts.joined(separator: "/")
            guard target.isEmpty || here.exists(file) else { return "\(path): \(target)" }
            guard let anchor = link.2, file.hasSuffix(".md") else { return nil }
            let there = target.isEmpty ? page : try here.text(of: file) ?? ""
            return anchors(of: there).contains(String(anchor))
                ? nil : "\(path): \(target)#\(anchor)"
        }
    }

    @Test func `every link between pages leads to a file and a heading`() throws {
        for path in try Self.here.paths(endingWith: ".md") {
            let page = try #require(try Self.here.text(of: path))
            #expect(try Self.broken(in: page, at: path) == [])
        }
        let page = "# A b, `c`\n\n[1](#a-b-c) [2](#d) [3](../README.md) [4](../NONE.md)"
        let broken = try Self.broken(in: page, at: "docs/a.md")
        #expect(
            broken == [
                "docs/a.md: #d", "docs/a.md: ../NONE.md",
            ])
    }

    @Test func `a section of our pages that a comment names is there`() throws {
        var count = 0
        for source in try Self.here.sources() where !source.path.contains("TidyTests") {
            for match in source.lines.joined(separator: "\n")
                .matches(of: /(?:^|[\s`(])(docs\/[a-z\/-]+\.md)(?:#([a-z0-9_-]+))?/)
            {
                count += 1
                guard let page = try? Self.here.text(of: String(match.1)) else {
                    Issue.record("\(source.path): \(match.1) isn't there.")
                    continue
                }
                guard let anchor = match.2 else { continue }
                #expect(
                    Self.anchors(of: page).contains(String(anchor)),
                    "\(source.path): \(match.1)#\(anchor)")
            }
        }
        #expect(count > 5)
    }

    // MARK: Sections

    /// What can be opened: a standard, or a page of ours.
    private static var published: Regex<Substring> {
        /RFC|SEC ?[12]|X\.690|FIPS|SP 800|ISO|W3C|HTML|OpenID|APNs|NIST|docs\/|\.md\b/
    }

    /// Comments of a file that name a section of what nobody can open.
    private static func unpublished(in source: Source) -> [String] {
        source.lines.indices.compactMap { index in
            let line = source.lines[index]
            guard line.contains("ection") || line.contains("notes") || line.contains("sheet"),
                let comment = line.firstRange(of: "//").map({ line[$0.upperBound...] })
            else { return nil }
            if comment.contains(/\b(protocol|unpublished) notes\b|\bthe sheet\b/) {
                return source.place(index)
            }
            guard comment.contains(/\b[Ss]ections? [0-9]/) else { return nil }
            // The source may stand on the line before.
            let context = (index > 0 ? source.lines[index - 1] + " " : "") + line
            return context.contains(published) ? nil : source.place(index)
        }
    }

    @Test func `no comment points at a section that nobody can open`() throws {
        for source in try Self.here.sources() where !source.path.contains("TidyTests") {
            #expect(Self.unpublished(in: source) == [])
        }
        #expect(Self.unpublished(in: Source("// Section 11.5.")).count == 1)
        #expect(Self.unpublished(in: Source("/// As the protocol notes say.")).count == 1)
        #expect(Self.unpublished(in: Source("/// RFC 7519\n/// section 4.1.")) == [])
        #expect(Self.unpublished(in: Source("let section = 4  // docs/a.md, section 4")) == [])
    }
}
