import Testing

/// Code of tutorials. DocC wants each step's code as a file of its own in the catalog: there,
/// `first-login-Phone.swift` is what `Examples/first-login/Phone.swift` is, which is compiled.
struct TutorialsTests {
    private static let here = Repository.here

    /// The files that a tutorial's steps show.
    private static func code(in tutorial: String) -> [Substring] {
        tutorial.matches(of: /@Code\(name: "[^"]+", file: "([^"]+)"\)/).map { $0.1 }
    }

    /// Where the file of a step was copied from; `nil` for a manifest, which is no target's, and what a
    /// program prints, which its own test compares.
    private static func origin(of file: Substring) -> String? {
        guard file.hasSuffix(".swift"), !file.hasSuffix("-Package.swift"),
            let hyphen = file.lastIndex(of: "-")
        else { return nil }
        return "Examples/\(file[..<hyphen])/\(file[file.index(after: hyphen)...])"
    }

    @Test func `a tutorial shows code as it is compiled, and all that it has`() throws {
        let tutorials = try Self.here.paths(endingWith: ".tutorial")
        #expect(tutorials.count == 2)
        let catalog = "docs/Guides.docc/Resources/"
        var shown: Set<String> = []
        for tutorial in tutorials {
            for file in Self.code(in: try Self.here.text(of: tutorial) ?? "") {
                shown.insert(catalog + file)
                guard let origin = Self.origin(of: file) else { continue }
                #expect(
                    try Self.here.lines(of: catalog + file) == Self.here.lines(of: origin),
                    "\(file) isn't \(origin)")
            }
        }
        #expect(shown.count == 5)
        let images = try Self.here.paths(in: [catalog], endingWith: ".svg")
        #expect(try Set(Self.here.paths(in: [catalog])) == shown.union(images))
    }

    @Test func `a step's file is traced to its example`() {
        let steps = """
            @Code(name: "A.swift", file: "first-login-A.swift")
            @Code(name: "Out", file: "first-login-output.txt")
            """
        #expect(
            Self.code(in: steps).map(Self.origin) == ["Examples/first-login/A.swift", nil])
        #expect(Self.origin(of: "first-login-Package.swift") == nil)
    }
}
