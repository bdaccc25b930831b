import Testing

/// What documentation comments must say beyond what the formatter asks for.
struct DocumentationTests {
    /// What may stand before a declaration's keyword; attributes stand without their sign.
    private static let modifiers: Set<Substring> = [
        "class", "concurrent", "convenience", "discardableResult", "final", "mutating",
        "nonisolated", "nonsending", "override", "public", "required", "static",
    ]

    /// A declaration that may throw.
    private struct Declaration {
        let isPublic: Bool
        /// What follows the keyword on its line.
        let rest: Substring

        init?(_ line: Substring) {
            var found: (words: [Substring], rest: Substring)?
            for keyword in ["func ", "init(", "init?(", "init<", "var "] {
                guard let range = line.firstRange(of: keyword) else { continue }
                let words = line[..<range.lowerBound]
                    .split { !$0.isLetter && !$0.isNumber && $0 != "_" && $0 != "." }
                if words.allSatisfy({ DocumentationTests.modifiers.contains($0) }) {
                    found = (words, line[range.lowerBound...])
                    break
                }
            }
            guard let found else { return nil }
            isPublic = found.words.contains("public")
            rest = found.rest
        }
    }

    /// What stands between a declaration's parameters and its result or body.
    private static func effects(of declaration: Declaration, _ following: [Substring]) -> String {
        var depth = 0
        var isAfter = false
        var effects = ""
        for line in [declaration.rest] + following {
            for character in line {
                if isAfter {
                    if character == "{" || character == ">" { return effects }
                    effects.append(character)
                } else if character == "(" {
                    depth += 1
                } else if character == ")" {
                    depth -= 1
                    isAfter = depth == 0
                }
            }
            if isAfter { return effects }
        }
        return effects
    }

    /// Whether a function, an initializer or a property's getter throws.
    private static func doesThrow(_ declaration: Declaration, _ following: [Substring]) -> Bool {
        guard declaration.rest.hasPrefix("var ") else {
            return effects(of: declaration, following).contains("throws")
        }
        guard let brace = declaration.rest.firstIndex(of: "{") else { return false }
        let body = declaration.rest[brace...].dropFirst().drop { $0 == " " }
        let getter = body.isEmpty ? following.first?.drop { $0 == " " } ?? "" : body
        return getter.hasPrefix("get ") && getter.contains(" throws")
    }

    /// Whether the comment above a line says what is thrown.
    private static func saysThrows(above index: Int, in source: Source) -> Bool {
        var line = index - 1
        while line >= 0, source.lines[line].drop(while: { $0 == " " }).hasPrefix("@") { line -= 1 }
        while line >= 0, Source.isComment(source.lines[line]) {
            if source.lines[line].contains("/// - Throws:") { return true }
            line -= 1
        }
        return false
    }

    /// The lines of public declarations, and of requirements of public protocols, that throw.
    private static func throwers(in source: Source) -> [Int] {
        var found: [Int] = []
        var isInProtocol = false
        for (index, line) in source.code.enumerated() {
            if line.hasPrefix("public protocol ") { isInProtocol = true }
            if line.hasPrefix("}") { isInProtocol = false }
            guard line.contains("public ") || isInProtocol, let declaration = Declaration(line),
                declaration.isPublic || isInProtocol
            else { continue }
            let following = Array(source.code[(index + 1)...].prefix(12))
            if doesThrow(declaration, following) { found.append(index) }
        }
        return found
    }

    /// Where one of them has a comment that doesn't say what is thrown.
    private static func silentThrows(in source: Source) -> [String] {
        throwers(in: source).filter { !saysThrows(above: $0, in: source) }.map(source.place)
    }

    @Test func `every public function that throws says what`() throws {
        var count = 0
        for source in try Repository.here.shipped() {
            #expect(Self.silentThrows(in: source) == [])
            count += Self.throwers(in: source).count
        }
        #expect(count > 250)
    }

    @Test(arguments: [
        "/// Does it.\npublic func a() throws {}",
        "/// Does it.\npublic init?(_ a: Int) throws(PushError) {",
        """
        /// Does it.
        ///
        /// - Returns: One.
        @discardableResult
        @concurrent
        public static func a(
            _ b: () throws -> Int
        ) async throws(PushError) -> Int {
        """,
        "/// Lends it.\npublic func a<B, C>(_ b: (B) throws(C) -> Int) throws(C) -> Int {",
        "public protocol A {\n    /// Does it.\n    func b() async throws(PushError) -> Int\n}",
        "/// Tells it.\npublic var a: Int {\n    get async throws(PushError) { 1 }",
        "/// Tells it.\npublic var a: Int { get throws { 1 } }",
        "/// - Throws: Another's.\npublic let b = 1\n/// Does it.\npublic func a() throws",
    ])
    func `a public function that doesn't say what it throws is found`(_ text: String) {
        #expect(Self.silentThrows(in: Source(text)).count == 1)
    }

    @Test(arguments: [
        "/// Does it.\n///\n/// - Throws: `PushError`.\npublic func a() throws {}",
        "/// Does it.\n///\n/// - Throws: `PushError`.\n@discardableResult\npublic func a() throws",
        "/// Does it.\npublic func a(_ b: () throws -> Int) -> () throws -> Void {",
        "/// Does it.\npublic func a(\n    _ b: () throws -> Int\n) async -> Int {",
        "/// Does it.\nfunc a() throws {}",
        "protocol A {\n    /// Does it.\n    func b() throws\n}",
        "public protocol A {\n}\n\nfunc b() throws {}",
        "/// Tells it.\npublic var a: Int {\n    1\n}",
        "/// Does it.\npublic func a() {\n    let b = try C.init(d) // throws\n}",
    ])
    func `what doesn't throw, isn't public or says what it throws is passed over`(_ text: String) {
        #expect(Self.silentThrows(in: Source(text)) == [])
    }
}
