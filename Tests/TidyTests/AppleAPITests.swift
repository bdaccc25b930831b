import Testing

/// What only Apple's SDKs compile has its API listed by hand, as no build here can list it: in
/// `docs/api/apple`, a declaration a line, and by name in an article.
struct AppleAPITests {
    private static let here = Repository.here

    /// The products, and their files that have declarations for Apple's systems alone.
    private static let files = [
        "PushPlatform": [
            "Modules/PushPlatform/Guard/KeychainGuard.swift",
            "Modules/PushPlatform/Keychain/KeychainStore.swift",
            "Modules/PushPlatform/Phone/APNsEnvironment+Bundle.swift",
            "Modules/PushPlatform/Phone/PushAppAdapter.swift",
            "Modules/PushPlatform/Phone/PushNotificationService.swift",
            "Modules/PushPlatform/Phone/UserNotificationBoard.swift",
            "Modules/PushURLSession/URLSessionTransport.swift",
        ],
        "PushForgeRock": [
            "Plugins/ForgeRock/Provider/Door/FRAPushHandler+UIKit.swift",
            "Plugins/ForgeRock/Provider/Import/VendorKeychain+Security.swift",
        ],
    ]

    /// Whether Apple's compilers read what stands between `#if` and `#else`.
    private static func isApples(_ condition: Substring) -> Bool {
        !condition.contains("FoundationNetworking") && !condition.contains("os(Linux)")
            || condition.contains("!canImport(FoundationNetworking)")
    }

    /// The public declarations of a file as Apple's compilers read it, each with its owner's name.
    private static func declarations(in source: Source) -> [String] {
        var found: [String] = []
        var owners: [(name: String, indentation: Int)] = []
        var conditions: [Bool] = []
        var open: String?
        for line in source.code {
            let text = line.drop { $0 == " " }
            if text.hasPrefix("#if ") { conditions.append(isApples(text)) }
            if text.hasPrefix("#else"), let last = conditions.popLast() { conditions.append(!last) }
            if text.hasPrefix("#endif") { conditions.removeLast() }
            guard !text.hasPrefix("#"), !conditions.contains(false) else { continue }
            let indentation = line.count - text.count
            while let owner = owners.last, text.hasPrefix("}"), owner.indentation == indentation {
                owners.removeLast()
            }
            if let begun = open {
                open = begun + (begun.hasSuffix("(") || text.hasPrefix(")") ? "" : " ") + text
            } else if text.hasPrefix("public "), !text.hasPrefix("public import") {
                open = String(text.dropFirst(7))
            } else if text.hasPrefix("open ") {
                open = String(text)
            } else if let match = text.wholeMatch(of: /(?:extension) ([A-Za-z.]+)(:.*)? \{/) {
                owners.append((String(match.1), indentation))
            } else if text.hasPrefix("case "), owners.last?.indentation == indentation - 4,
                found.last(where: { !$0.contains(": case ") })?.contains(": enum ") == true
            {
                found.append(entry(String(text), owners.map(\.name)))
            }
            // A declaration ends where its body begins, or where its parentheses are closed.
            guard let whole = open,
                whole.filter({ $0 == "(" }).count == whole.filter({ $0 == ")" }).count,
                whole.hasSuffix("{") || whole.hasSuffix("}")
                    || !whole.contains("func ") && !whole.contains("init(")
            else { continue }
            open = nil
            let head = whole.split(separator: "{")[0]
                .replacing(/\s+$/, with: "").replacing(/\ = [^,()]+$/, with: "")
            found.append(entry(String(head), owners.map(\.name)))
            if let type = head.firstMatch(of: /\b(?:struct|class|enum) (?!func|var)([A-Za-z]+)/) {
                owners.append((String(type.1), indentation))
            }
        }
        return found
    }

    private static func entry(_ head: String, _ owners: [String]) -> String {
        let name =
            head.firstMatch(of: /\b(?:struct|class|enum|func|let|var|case) (?!func|var)([A-Za-z]+)/)
            .map { String($0.1) } ?? "init"
        return (owners + [name]).joined(separator: ".") + ": " + head
    }

    @Test(arguments: files.keys.sorted())
    func `the list of Apple's half has each declaration once`(product: String) throws {
        let sources = try Self.here.sources()
        let expected = try (Self.files[product] ?? []).flatMap { path in
            Self.declarations(in: try #require(sources.first { $0.path == path }, "\(path)"))
        }
        #expect(expected.count > 4)
        let page = try Self.here.lines(of: "docs/api/apple/\(product).txt").filter { !$0.isEmpty }
        #expect(page.map(String.init) == expected.sorted())
    }

    @Test func `the article of Apple's half names each of its types`() throws {
        let article = try #require(
            try Self.here.text(of: "docs/Guides.docc/What-only-Apples-systems-have.md"))
        for (product, _) in Self.files {
            for line in try Self.here.lines(of: "docs/api/apple/\(product).txt") where !line.isEmpty
            {
                let owner = line.prefix { $0.isLetter }
                #expect(article.contains("`\(owner)"), "\(owner)")
            }
        }
    }

    @Test func `a declaration is found with its owner, in Apple's branch alone`() {
        let source = Source(
            """
            #if canImport(Security)
            /// A store.
            public struct Store: Sendable {
                public enum Kind: Hashable {
                    /// One.
                    case one
                }
                public let kind: Kind
                #if canImport(FoundationNetworking)
                public func never() {}
                #endif
                public func read(
                    _ a: Int
                ) async throws -> Int {
                    1
                }
                func own() {}
                public init() {}
            }
            #endif
            """)
        #expect(
            Self.declarations(in: source) == [
                "Store: struct Store: Sendable", "Store.Kind: enum Kind: Hashable",
                "Store.Kind.one: case one", "Store.kind: let kind: Kind",
                "Store.read: func read(_ a: Int) async throws -> Int", "Store.init: init()",
            ])
    }
}
