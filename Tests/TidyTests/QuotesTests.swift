import Testing

/// Code in an article and what it was copied from. In an article,
///
///     <!-- from: Examples/quickstart/Quickstart.swift#enroll -->
///
/// stands on the line before a fence; in the file, the lines from `// snippet: enroll` to
/// `// end snippet` are what the fence must hold, without their common indentation. Without `#name` it
/// must hold the whole file.
struct Quote {
    /// The line that names the source.
    let line: Int
    let file: String
    let snippet: String?
    /// What the fence holds; `nil` if none of Swift or sh follows.
    let code: [Substring]?

    /// The quotes of an article.
    static func all(in article: [Substring]) -> [Quote] {
        article.indices.compactMap { index in
            guard
                let match = article[index].wholeMatch(of: /\s*<!-- from: (\S+?)(?:#(\S+))? -->\s*/)
            else { return nil }
            return Quote(
                line: index + 1, file: String(match.1), snippet: match.2.map(String.init),
                code: fence(in: article[(index + 1)...]))
        }
    }

    private static func fence(in lines: ArraySlice<Substring>) -> [Substring]? {
        guard let first = lines.first, first.wholeMatch(of: /\s*```(swift|sh)\s*/) != nil,
            let end = lines.dropFirst().firstIndex(where: {
                $0.wholeMatch(of: /\s*```\s*/) != nil
            })
        else { return nil }
        return Array(lines[(lines.startIndex + 1)..<end])
    }

    /// The lines that it must hold; `nil` unless the snippet is there exactly once, with an end.
    func expected(of file: [Substring]) -> [Substring]? {
        guard let snippet else { return file.last?.isEmpty == true ? file.dropLast() : file }
        let starts = file.indices.filter {
            file[$0].wholeMatch(of: /\s*\/\/ snippet: (\S+)\s*/)?.1 == snippet[...]
        }
        guard starts.count == 1, let start = starts.first,
            let end = file[start...].firstIndex(where: {
                $0.wholeMatch(of: /\s*\/\/ end snippet\s*/) != nil
            })
        else { return nil }
        return file[(start + 1)..<end].filter { !$0.contains("// snippet: ") }
    }

    /// Lines without the indentation that all share.
    static func dedented(_ lines: [Substring]) -> [Substring] {
        let indentation = lines.filter { $0.contains { $0 != " " } }
            .map { $0.prefix { $0 == " " }.count }.min()
        return lines.map { $0.dropFirst(indentation ?? 0) }
    }
}

struct QuotesTests {
    @Test func `what an article quotes stands so in the file it names`() throws {
        let here = Repository.here
        var count = 0
        for article in try here.paths(endingWith: ".md") {
            for quote in Quote.all(in: try here.lines(of: article)) {
                count += 1
                let place = "\(article):\(quote.line)"
                guard let code = quote.code else {
                    Issue.record("\(place): no fence of Swift or sh follows.")
                    continue
                }
                guard here.exists(quote.file),
                    let expected = quote.expected(of: try here.lines(of: quote.file))
                else {
                    Issue.record(
                        """
                        \(place): \(quote.file) isn't there, or hasn't exactly one snippet \
                        '\(quote.snippet ?? "")'.
                        """)
                    continue
                }
                #expect(Quote.dedented(code) == Quote.dedented(expected), "\(place)")
            }
        }
        #expect(count > 30)
    }

    @Test func `a fence is compared without its indentation, and needs a source with an end`() {
        let article: [Substring] = [
            "<!-- from: A.swift#one -->", "```swift", "a()", "    b()", "```", "",
            "<!-- from: A.swift -->", "a()",
        ]
        let quotes = Quote.all(in: article)
        #expect(quotes.map(\.line) == [1, 7])
        #expect(quotes[0].code == ["a()", "    b()"])
        #expect(quotes[1].code == nil)
        let file: [Substring] = [
            "func c() {", "    // snippet: one", "    a()", "        b()", "    // end snippet",
            "}",
            "",
        ]
        #expect(quotes[0].expected(of: file).map(Quote.dedented) == ["a()", "    b()"])
        #expect(quotes[1].expected(of: file)?.count == 6)
        #expect(quotes[0].expected(of: Array(file[..<4])) == nil)
        #expect(quotes[0].expected(of: file + file) == nil)
        #expect(quotes[0].expected(of: ["// snippet: another", "// end snippet"]) == nil)
    }
}
