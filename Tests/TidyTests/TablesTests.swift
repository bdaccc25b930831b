import Testing

/// Tables of pages that list what the code lists: neither has a row more than the other.
struct TablesTests {
    private static let here = Repository.here

    /// The names of an enum's own cases; the enum opens and closes at one indentation.
    private static func cases(of name: String, in lines: [Substring]) -> [Substring] {
        let declarations = ["enum \(name):", "enum \(name) "]
        guard
            let start = lines.firstIndex(where: { line in
                declarations.contains { line.contains($0) }
            })
        else { return [] }
        let indentation = lines[start].prefix { $0 == " " }
        let end = lines[start...].firstIndex { $0 == indentation + "}" } ?? lines.endIndex
        // Not the pattern of a switch, which begins with a full stop.
        let mark = indentation + "    case "
        return lines[start..<end].filter { $0.hasPrefix(mark) }
            .map { $0.dropFirst(mark.count).prefix { $0.isLetter } }
            .filter { !$0.isEmpty }
    }

    /// What the first column of a page's tables has in backquotes, or as a number.
    private static func rows(in page: [Substring]) -> [Substring] {
        page.compactMap { $0.prefixMatch(of: /\| `?([A-Za-z]+|[0-9]+)`? \|/)?.1 }
            .filter { $0 != "Code" }
    }

    @Test func `the page of errors has each code once`() throws {
        let code = try Self.here.lines(of: "Modules/PushCore/Errors/PushError.swift")
        let page = try Self.here.lines(of: "Modules/PushCore/PushCore.docc/Errors.md")
        let codes = Self.cases(of: "Code", in: code)
        #expect(codes.count > 25 && codes.contains("untrusted") && codes.contains("server"))
        #expect(Self.rows(in: page) == codes)
    }

    @Test func `the guide of pushauth has each exit code once`() throws {
        let code = try Self.here.lines(
            of: "Examples/Programs/PushAuthCommand/Program/ExitStatus.swift")
        let values = code.compactMap { $0.wholeMatch(of: /\s+case \w+ = ([0-9]+)/)?.1 }
        #expect(values.count > 10)
        let page = try Self.here.lines(of: "docs/guides/pushauth.md")
        let start = try #require(page.firstIndex(of: "## Exit codes"))
        let end = page[(start + 1)...].firstIndex { $0.hasPrefix("## ") } ?? page.endIndex
        // The last are the system's own: a signal ended it.
        #expect(Self.rows(in: Array(page[start..<end])) == values + ["130", "143"])
    }

    @Test func `the page of vendors has each reason for a no once`() throws {
        let code = try Self.here.lines(of: "Modules/PushCore/Errors/Resolution.swift")
        let reasons = Self.cases(of: "DenyReason", in: code)
        #expect(reasons.count > 3 && reasons.contains("fraud"))
        // What is written and isn't here couldn't be read again.
        let plain = try #require(code.first { $0.contains("let plain: [DenyReason] = [") })
        #expect(plain.matches(of: /\.(\w+)/).map(\.1) == reasons.filter { $0 != "custom" })
        let page = try Self.here.lines(of: "docs/vendors/README.md")
        let start = try #require(page.firstIndex(of: "## What each deny reason becomes"))
        let rows = page[start...].compactMap { $0.prefixMatch(of: /\| `(\w+)(?:\(\w+\))?` \|/)?.1 }
        #expect(rows.dropFirst() == reasons[...])
    }

    @Test func `the page of examples has each with its length`() throws {
        let page = try Self.here.lines(of: "Examples/README.md")
        let rows = page.compactMap { $0.wholeMatch(of: /\| \[`([a-z-]+)`\].* \| ([0-9]+) \|/) }
        var lengths: [Substring: Int] = [:]
        for path in try Self.here.paths(in: ["Examples"]) {
            let parts = path.split(separator: "/")
            guard parts.count > 2, !["Programs", "Tests"].contains(parts[1]),
                path.hasSuffix(".swift") || path.hasSuffix(".sh")
            else { continue }
            lengths[parts[1], default: 0] += try Self.here.lines(of: path).count - 1
        }
        #expect(lengths.count > 7)
        #expect(rows.count == lengths.count)
        for row in rows { #expect(lengths[row.1] == Int(row.2), "\(row.1)") }
    }

    /// Rows of a page's tables that no screen shows beside each other.
    private static func wideRows(in page: [Substring]) -> [Int] {
        page.indices.filter { page[$0].hasPrefix("|") && page[$0].count > 200 }.map { $0 + 1 }
    }

    @Test func `no row of a vendor's table is wider than 200 columns`() throws {
        let pages = try Self.here.paths(in: ["docs/vendors"], endingWith: ".md")
        #expect(pages.count > 10)
        for page in pages {
            #expect(Self.wideRows(in: try Self.here.lines(of: page)) == [], "\(page)")
        }
        let wide = Substring("| " + String(repeating: "a", count: 198) + "|")
        #expect(Self.wideRows(in: ["| a |", wide, wide.dropFirst(), wide.dropLast(1)]) == [2])
    }

    @Test func `a row or a case too many is found`() {
        let code: [Substring] = [
            "    enum Code {", "        case one", "        /// Two.", "        case two(Int)",
            "        case three(status: Int)", "        var x: Int {", "        switch self {",
            "        case .one: 1", "        }", "    }", "    enum Other {", "        case four",
            "    }",
        ]
        #expect(Self.cases(of: "Code", in: code) == ["one", "two", "three"])
        let page: [Substring] = [
            "| Code | Means |", "|---|---|", "| `one` | x |", "| 64 | y |", "`no`",
        ]
        #expect(Self.rows(in: page) == ["one", "64"])
    }
}
