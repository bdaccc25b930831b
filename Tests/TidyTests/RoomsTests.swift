import Testing

/// Which room may know what: vendors and imports. What a room links is the manifest's, and the build
/// refuses an import that isn't linked.
struct RoomsTests {
    private static let vendors = [
        "powerauth", "onespan", "plusauth", "privacyidea", "xignin", "forgerock", "keycloak",
    ]

    @Test func `no vendor's name stands under Modules`() throws {
        let here = Repository.here
        let folders = try here.paths(in: ["Plugins"])
            .compactMap { $0.split(separator: "/").dropFirst().first?.lowercased() }
        let vendors = Set(Self.vendors + folders)
        #expect(vendors.count == Self.vendors.count)
        let paths = try here.paths(in: ["Modules"])
        #expect(paths.count > 100)
        for path in paths {
            let text = (path + "\n" + (try here.text(of: path) ?? "")).lowercased()
            for vendor in vendors {
                #expect(!text.contains(vendor), "\(path) names \(vendor)")
            }
        }
    }

    // MARK: The programs' list of vendors

    /// Where the programs list the vendors that they link.
    private static let lists: Set = [
        "Examples/Programs/LinkedVendors/LinkedVendors.swift",
        "Examples/Programs/push-lab/Vendors/LabVendors.swift",
    ]

    /// Vendors that a file of the programs names, and whose own it isn't: a vendor's own files have
    /// its name in their paths.
    private static func strangers(in text: String, at path: String) -> [String] {
        if lists.contains(path) { return [] }
        let (text, path) = (text.lowercased(), path.lowercased())
        return vendors.filter { text.contains($0) && !path.contains($0) }
            .map { "\(path) names \($0)" }
    }

    @Test func `the programs name vendors in their lists and the vendors' own files alone`()
        throws
    {
        let here = Repository.here
        let paths = try here.paths(in: ["Examples/Programs"])
        #expect(paths.count > 200)
        #expect(Self.lists.isSubset(of: paths))
        for path in paths {
            #expect(Self.strangers(in: try here.text(of: path) ?? "", at: path) == [])
        }
    }

    @Test(arguments: [
        ("case \"onespan\": true", "Examples/Programs/PushAuthCommand/Inspect/Inspector.swift", 1),
        ("import PushXignIn", "Examples/Programs/push-lab/Soak/SoakVendor.swift", 1),
        ("/// As ForgeRock and PowerAuth do.", "Examples/Programs/pushauth/PushAuth.swift", 2),
        ("import PushForgeRock", "Examples/Programs/push-lab/Vendors/XignIn/XignInLab.swift", 1),
        ("import PushXignIn", "Examples/Programs/push-lab/Vendors/XignIn/XignInLab.swift", 0),
        (".forgeRock, .plusAuth", "Examples/Programs/LinkedVendors/LinkedVendors.swift", 0),
    ])
    func `a vendor's name in a program's other file is found`(
        _ text: String, _ path: String, _ count: Int
    ) {
        #expect(Self.strangers(in: text, at: path).count == count)
    }

    // MARK: A store's keys

    /// Lines that name what is derived from a store's key, in a room that seals nothing with it.
    private static func keyNames(in source: Source) -> [String] {
        let rooms = ["Modules/PushPlatform/", "Modules/PushSealing/"]
        if rooms.contains(where: { source.path.hasPrefix($0) }) { return [] }
        return source.code.enumerated().compactMap { index, line in
            line.contains("StoreKeys") ? source.place(index) : nil
        }
    }

    @Test func `only the rooms that seal a store's records name its keys`() throws {
        for source in try Repository.here.shipped() {
            #expect(Self.keyNames(in: source) == [])
        }
    }

    @Test(arguments: [
        ("let keys: StoreKeys", "Modules/PushEtcd/A.swift", 1),
        ("PushPlatform.StoreKeys.Use.files", "Plugins/Acme/Provider/A.swift", 1),
        ("// As StoreKeys does.", "Modules/PushEtcd/A.swift", 0),
        ("let keys: StoreKeys", "Modules/PushSealing/A.swift", 0),
        ("let keys: StoreKeys", "Modules/PushPlatform/Keys/A.swift", 0),
    ])
    func `a store's keys in another room are found`(
        _ text: String, _ path: String, _ count: Int
    ) {
        #expect(Self.keyNames(in: Source(text, at: path)).count == count)
    }

    // MARK: Packages and imports

    @Test func `every integrator fetches two packages alone`() throws {
        let manifest = try #require(try Repository.here.text(of: "Package.swift"))
        let names = manifest.matches(of: /\.package\(.*\/([a-z-]+)\.git"/).map { $0.1 }
        #expect(names == ["swift-crypto", "swift-http-types"])
        #expect(manifest.matches(of: /\.package\(/).count == 2)
    }

    /// What a room may import, beside the C library and Foundation.
    private static func imports(of path: String) -> Set<String>? {
        let rooms = path.split(separator: "/")
        return switch (rooms.first, rooms.dropFirst().first, rooms.dropFirst(2).first) {
        case ("Modules", "PushCore", _): ["HTTPTypes"]
        case ("Modules", "PushJOSE", _): ["PushCore", "Crypto", "CryptoExtras", "HTTPTypes"]
        case ("Modules", "PushPlatform", _):
            [
                "PushCore", "PushTransportRules", "Crypto", "HTTPTypes", "CPushCurl",
                "PushURLSession", "Dispatch", "Security", "UIKit", "UserNotifications",
            ]
        case ("Modules", "PushSealing", _): ["PushCore", "PushPlatform"]
        case ("Modules", "PushEtcd", _): ["PushCore", "PushPlatform", "HTTPTypes"]
        case ("Modules", "PushPostgres", _): ["PushCore", "CPushPostgres", "Dispatch"]
        case ("Modules", "PushTransportRules", _): ["PushCore", "HTTPTypes"]
        case ("Modules", "PushURLSession", _):
            [
                "PushCore", "PushTransportRules", "HTTPTypes", "FoundationNetworking", "CryptoKit",
                "Security",
            ]
        case ("Modules", "PushTesting", _): ["PushCore", "HTTPTypes"]
        case ("Plugins", _, "Provider"):
            ["PushCore", "PushJOSE", "HTTPTypes", "Crypto", "CryptoExtras"]
        case ("Plugins", let vendor?, "Reference"):
            ["PushCore", "PushJOSE", "Push\(vendor)", "HTTPTypes", "Crypto", "CryptoExtras"]
        case ("Plugins", _, "Simulator"):
            ["PushCore", "PushJOSE", "PushTesting", "HTTPTypes", "Crypto", "CryptoExtras"]
        default: nil
        }
    }

    private static let everybodys: Set<String> = [
        "Darwin", "Glibc", "Musl", "Foundation", "FoundationEssentials",
    ]

    /// The system's framework that a file of its own is for, `Keychain+Security.swift`; only some
    /// systems have it.
    private static func systems(of path: String) -> Set<String> {
        let systems: Set<String> = ["UIKit", "Security"]
        return systems.filter { path.hasSuffix("+\($0).swift") }
    }

    /// Imports that a file's room must not have.
    private static func forbidden(in source: Source) -> [String] {
        let allowed = imports(of: source.path).map {
            everybodys.union($0).union(systems(of: source.path))
        }
        let pattern =
            /^\s*(?:[@a-z()_]+\s+)*import\s+(?:(?:struct|class|enum|protocol|typealias|func|let|var|actor)\s+)?([A-Za-z_][A-Za-z0-9_]*)/
        return source.code.enumerated().compactMap { index, line in
            guard line.contains("import"), let match = line.firstMatch(of: pattern) else {
                return nil
            }
            return allowed?.contains(String(match.1)) == true
                ? nil : "\(source.place(index)): \(match.1)"
        }
    }

    @Test func `a room imports only what it may know`() throws {
        for source in try Repository.here.shipped() {
            #expect(Self.forbidden(in: source) == [])
        }
    }

    @Test(arguments: [
        ("import PushJOSE", "Modules/PushCore/A.swift", 1),
        ("package import struct PushJOSE.JWS", "Modules/PushTesting/A.swift", 1),
        ("@testable import Crypto", "Modules/PushCore/A.swift", 1),
        ("import PushTesting", "Plugins/Acme/Provider/A.swift", 1),
        ("import PushCore", "Plugins/Acme/Tools/A.swift", 1),
        ("import PushTesting", "Plugins/Acme/Simulator/A.swift", 0),
        ("import Security", "Plugins/Acme/Provider/A.swift", 1),
        ("import Security", "Plugins/Acme/Provider/A+UIKit.swift", 1),
        ("import Security", "Plugins/Acme/Provider/A+Security.swift", 0),
        ("// import PushJOSE", "Modules/PushCore/A.swift", 0),
        ("#if canImport(Glibc)\n    import Glibc\n#endif", "Modules/PushCore/A.swift", 0),
    ])
    func `an import that a room must not have is found`(
        _ text: String, _ path: String, _ count: Int
    ) {
        #expect(Self.forbidden(in: Source(text, at: path)).count == count)
    }
}
