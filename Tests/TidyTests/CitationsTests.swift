import Testing

/// What pages cite in backquotes exists: types, their members, files and folders.
struct CitationsTests {
    /// A span of code that is written as a path or as a type's name.
    private struct Citation {
        enum Kind {
            /// A path from the root, as far as it is written out.
            case path(String)
            /// The end of a Swift file's path.
            case file(String)
            /// A type, and what of it is named.
            case name(Substring, members: [Substring])
        }

        let span: String
        let kind: Kind

        private static let roots = [
            "Modules/", "Plugins/", "Tests/", "Examples/", "docs/", ".ci/", ".github/",
        ]

        /// Of files that others have, such as `AuthKey.p8`.
        private static let suffixes: Set<Substring> = [
            "entitlements", "md", "p8", "plist", "xcprivacy",
        ]

        /// Pages whose names are a vendor's, or those of Apple's and Google's push services.
        private static func isForeign(_ page: String) -> Bool {
            page.hasPrefix("docs/vendors/") || page.contains("/porting-")
                || page == "docs/guides/pushauth.md"
        }

        /// `nil` for any other span.
        init?(_ span: String, on page: String) {
            self.span = span
            if Self.roots.contains(where: { span.hasPrefix($0) }) {
                // An argument or a heading may follow, and `<Vendor>` stands for any name.
                let parts = span.prefix { !" #".contains($0) }.split(separator: "/")
                    .prefix { !$0.contains { "<*…".contains($0) } }
                guard !parts.contains(where: { $0.hasPrefix(".build") }) else { return nil }
                kind = .path(parts.joined(separator: "/"))
            } else if span.hasSuffix(".swift"), !span.contains(" ") {
                // The reader's own package.
                guard !span.hasPrefix("Sources/") else { return nil }
                kind = .file(span)
            } else {
                guard !Self.isForeign(page),
                    let match = span.wholeMatch(
                        of: /([A-Z][A-Za-z0-9]*)((?:[.\/][A-Za-z][A-Za-z0-9_]*)*)(?:\(.*\))?/)
                else { return nil }
                let members = match.2.split { $0 == "." || $0 == "/" }
                if let last = members.last, Self.suffixes.contains(last) { return nil }
                kind = .name(match.1, members: members)
            }
        }

        /// Those of a page, fences aside.
        static func all(in text: String, on page: String) -> [Citation] {
            text.replacing(/```[\s\S]*?```/, with: "").matches(of: /`+([^`]+)`+/).compactMap {
                let words = $0.1.split { $0.isWhitespace }
                return Citation(words.joined(separator: " "), on: page)
            }
        }
    }

    /// What there is.
    private struct Inventory {
        private let files: [String]

        /// The names of files and folders without their suffixes, such as a target's.
        private let stems: Set<Substring>

        /// By a type's name, all words of the code of the files that declare or extend it: its
        /// members are among them.
        private var words: [Substring: Set<Substring>] = [:]

        private static let kinds: Set<Substring> = [
            "actor", "associatedtype", "class", "enum", "extension", "macro", "protocol", "struct",
            "typealias",
        ]

        /// Names that Swift, Apple, Google and Linux's tools chose.
        private static let others: Set<Substring> = [
            "ContinuousClock", "FirebaseApp", "FirebaseAppDelegateProxyEnabled", "MainActor",
            "SecAccessControlCreateWithFlags", "SHA256SUMS", "VmHWM",
        ]

        /// - Parameters:
        ///   - files: The paths of all files.
        ///   - sources: Those of Swift.
        ///   - citations: What is looked for.
        init(_ files: [String], _ sources: [Source], for citations: [Citation]) {
            self.files = files
            stems = Set(
                files.flatMap { path in
                    path.split(separator: "/").compactMap { $0.split(separator: ".").first }
                })
            var cited: Set<Substring> = []
            for case .name(let type, let members) in citations.map(\.kind) {
                cited.formUnion([type] + members)
            }
            for source in sources { add(source, cited) }
        }

        private mutating func add(_ source: Source, _ cited: Set<Substring>) {
            var types: Set<Substring> = []
            var all: Set<Substring> = []
            var last: Substring = ""
            for line in source.code {
                // By bytes: characters take seconds here.
                for bytes in line.utf8.split(whereSeparator: { !Self.isPart($0) }) {
                    let word = Substring(bytes)
                    if Self.kinds.contains(last), cited.contains(word) { types.insert(word) }
                    all.insert(word)
                    last = word
                }
            }
            for type in types { words[type, default: []].formUnion(all) }
        }

        /// Whether a byte can be one of an identifier.
        private static func isPart(_ byte: UInt8) -> Bool {
            byte == UInt8(ascii: "_") || 0x30...0x39 ~= byte || 0x41...0x5A ~= byte
                || 0x61...0x7A ~= byte
        }

        /// A word of English may be anybody's; two that are written as one are a type's name.
        private func mayBeOthers(_ name: Substring) -> Bool {
            !name.contains(/[a-z0-9][A-Z]/) || stems.contains(name) || Self.others.contains(name)
        }

        private func has(_ citation: Citation) -> Bool {
            switch citation.kind {
            case .path(let path): return Repository.here.exists(path)
            case .file(let end): return files.contains { $0 == end || $0.hasSuffix("/" + end) }
            case .name(let type, let members):
                guard var known = words[type] else { return mayBeOthers(type) }
                for member in members {
                    guard known.contains(member) else { return false }
                    known.formUnion(words[member] ?? [])
                }
                return true
            }
        }

        /// The spans that cite what isn't there.
        func missing(of citations: [Citation]) -> [String] {
            citations.filter { !has($0) }.map(\.span)
        }
    }

    @Test func `every type, file and folder that a page cites exists`() throws {
        let here = Repository.here
        let files = try here.paths()
        var pages: [String: [Citation]] = [:]
        for path in files where path.hasSuffix(".md") && path != "CHANGELOG.md" {
            pages[path] = Citation.all(in: try here.text(of: path) ?? "", on: path)
        }
        let all = pages.values.flatMap { $0 }
        #expect(all.count > 1000)
        let inventory = Inventory(files, try here.sources(), for: all)
        for (path, citations) in pages {
            #expect(inventory.missing(of: citations) == [], "\(path)")
        }
    }

    @Test func `a type, a member and files that aren't there are found`() {
        let page = """
            `NoSuchThing` has ``OneThing/none``, unlike `OneThing.some(_:)` and `OneThing`. A `Word`
            is no type. `Modules/None.swift` and `Other/One.swift` are gone; `One/One.swift`,
            `Modules/<Vendor>/None` and `docs/` aren't.

            ```swift
            let other: `NoThing`
            ```
            """
        let citations = Citation.all(in: page, on: "docs/page.md")
        let inventory = Inventory(
            ["One/One.swift"], [Source("enum OneThing {\n    case some(Int)  // none\n}")],
            for: citations)
        #expect(
            inventory.missing(of: citations) == [
                "NoSuchThing", "OneThing/none", "Modules/None.swift", "Other/One.swift",
            ])
        #expect(Citation.all(in: "`NoSuchThing`", on: "docs/vendors/acme.md").isEmpty)
    }
}
