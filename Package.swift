// swift-tools-version: 6.3
import PackageDescription

let crypto: Target.Dependency = .product(name: "Crypto", package: "swift-crypto")
let cryptoExtras: Target.Dependency = .product(name: "CryptoExtras", package: "swift-crypto")
let httpTypes: Target.Dependency = .product(name: "HTTPTypes", package: "swift-http-types")
let appleOnly: TargetDependencyCondition? = .when(platforms: [
    .iOS, .macOS, .macCatalyst, .tvOS, .watchOS, .visionOS,
])
let linuxOnly: BuildSettingCondition = .when(platforms: [.linux])

/// What integrators can link. The other modules are inner: PushTransportRules, PushURLSession, CPushCurl
/// and CPushPostgres.
let shipped = [
    "PushCore", "PushJOSE", "PushPlatform", "PushSealing", "PushEtcd", "PushPostgres",
    "PushTesting",
    "PushForgeRock", "PushForgeRockSimulator",
    "PushKeycloak", "PushKeycloakSimulator",
    "PushPlusAuth", "PushPlusAuthSimulator",
    "PushXignIn", "PushXignInReference", "PushXignInSimulator",
    "PushOneSpan", "PushOneSpanReference", "PushOneSpanSimulator",
    "PushPowerAuth", "PushPowerAuthSimulator",
    "PushPrivacyIDEA", "PushPrivacyIDEASimulator",
]

/// What Apple wants to know of each product that apps ship; docs/privacy-manifests.md says why only a
/// Mac takes it for a resource.
let privacyManifest = "PrivacyInfo.xcprivacy"
#if os(macOS)
let privacyResources: [Resource] = [.copy(privacyManifest)]
let privacyExcluded: [String] = []
#else
let privacyResources: [Resource] = []
let privacyExcluded = [privacyManifest]
#endif

let package = Package(
    name: "swift-push-auth",
    platforms: [.iOS(.v16), .macOS(.v13)],
    products: shipped.map { .library(name: $0, targets: [$0]) },
    dependencies: [
        .package(url: "https://github.com/apple/swift-crypto.git", from: "4.0.0"),
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.8.0"),
    ],
    targets: [
        .module("PushCore", uses: [httpTypes]),
        .module("PushJOSE", uses: ["PushCore", crypto, cryptoExtras, httpTypes]),
        .module(
            "PushPlatform",
            uses: [
                "PushCore", "PushTransportRules", crypto, httpTypes,
                .target(name: "CPushCurl", condition: .when(platforms: [.linux])),
                .target(name: "PushURLSession", condition: appleOnly),
            ]),
        .support(
            "PushURLSession", in: "Modules", uses: ["PushCore", "PushTransportRules", httpTypes]),
        .support("PushTransportRules", in: "Modules", uses: ["PushCore", httpTypes]),
        // It declares what it calls of libcurl, as the other does of libpq, and finds it at run time.
        .target(
            name: "CPushCurl", path: "Modules/CPushCurl",
            linkerSettings: [.linkedLibrary("dl", linuxOnly)]),
        .module("PushSealing", uses: ["PushCore", "PushPlatform"]),
        .module("PushEtcd", uses: ["PushCore", "PushPlatform", httpTypes]),
        .module("PushPostgres", uses: ["PushCore", "CPushPostgres"]),
        // It declares what it calls of libpq, and finds it when the program runs.
        .target(
            name: "CPushPostgres", path: "Modules/CPushPostgres",
            linkerSettings: [.linkedLibrary("dl", linuxOnly)]),
        .support("PushTesting", in: "Modules", uses: ["PushCore", httpTypes]),

        .plugin("ForgeRock", uses: ["PushCore", "PushJOSE", crypto, httpTypes]),
        .simulator("ForgeRock", uses: ["PushCore", "PushTesting", crypto, httpTypes]),
        .plugin("Keycloak", uses: ["PushCore", "PushJOSE", httpTypes], seesOnlyPublic: true),
        .simulator(
            "Keycloak",
            uses: ["PushCore", "PushJOSE", "PushTesting", crypto, cryptoExtras, httpTypes],
            seesOnlyPublic: true),
        .plugin("PlusAuth", uses: ["PushCore", "PushJOSE", crypto, httpTypes]),
        .simulator(
            "PlusAuth",
            uses: ["PushCore", "PushJOSE", "PushTesting", crypto, cryptoExtras, httpTypes]),
        .plugin("OneSpan", uses: ["PushCore", httpTypes]),
        .reference("OneSpan", uses: ["PushCore", "PushOneSpan", crypto, cryptoExtras]),
        .simulator("OneSpan", uses: ["PushCore", "PushTesting", crypto, httpTypes]),
        .plugin("PowerAuth", uses: ["PushCore", "PushJOSE", crypto, cryptoExtras, httpTypes]),
        .simulator(
            "PowerAuth",
            uses: ["PushCore", "PushJOSE", "PushTesting", crypto, cryptoExtras, httpTypes]),
        .plugin(
            "PrivacyIDEA", uses: ["PushCore", "PushJOSE", crypto, cryptoExtras, httpTypes],
            seesOnlyPublic: true),
        .simulator(
            "PrivacyIDEA",
            uses: ["PushCore", "PushJOSE", "PushTesting", crypto, cryptoExtras, httpTypes]),
        .plugin("XignIn", uses: ["PushCore", "PushJOSE", crypto]),
        .reference("XignIn", uses: ["PushCore", "PushJOSE", "PushXignIn", crypto, httpTypes]),
        .simulator("XignIn", uses: ["PushCore", "PushJOSE", "PushTesting", crypto, httpTypes]),
        .support("ExternalTool"),
        .support(
            "StoreTrials",
            uses: [
                "PushCore", "PushTesting", "PushForgeRock", "PushForgeRockSimulator", httpTypes,
            ]),
        .support("IndependentEncodings", uses: ["PushCore", crypto]),
        .support("FictionalVendor", uses: ["PushCore", "PushTesting", httpTypes]),
        .suite(
            "PushCoreTests",
            uses: ["PushCore", "PushTesting", "FictionalVendor", "ExternalTool", httpTypes]),
        .suite(
            "PushJOSETests",
            uses: [
                "PushCore", "PushJOSE", "PushTesting", "ExternalTool", "IndependentEncodings",
                crypto, cryptoExtras, httpTypes,
            ],
            resources: [.copy("Vectors")]),
        .suite(
            "PushPlatformTests",
            uses: [
                "PushCore", "PushPlatform", "PushTransportRules", "PushTesting", "FictionalVendor",
                "ExternalTool", "IndependentEncodings", httpTypes,
            ]),
        .suite(
            "PushSealingTests",
            uses: [
                "PushCore", "PushPlatform", "PushSealing", "PushTesting", "ExternalTool", crypto,
            ]),
        .suite(
            "PushEtcdTests",
            uses: [
                "PushCore", "PushPlatform", "PushSealing", "PushEtcd", "PushTesting",
                "StoreTrials", "ExternalTool", httpTypes,
            ]),
        .suite(
            "PushPostgresTests",
            uses: [
                "PushCore", "PushPlatform", "PushSealing", "PushPostgres", "PushTesting",
                "StoreTrials",
            ]),
        .suite(
            "PushURLSessionTests",
            uses: ["PushCore", "PushURLSession", "PushTransportRules", "PushTesting", httpTypes]),
        .target(name: "CPushSimulation", path: "Tests/CPushSimulation"),
        .support(
            "PushSimulation", at: "Simulation",
            uses: Set(shipped)
                .subtracting(["PushPlatform", "PushSealing", "PushEtcd", "PushPostgres"]).sorted()
                .map { .target(name: $0) }
                + ["FictionalVendor", "CPushSimulation", cryptoExtras, httpTypes]),
        .suite("PushSimulationTests", uses: ["PushSimulation"]),
        .suite(
            "PushFlowTests",
            uses: ["PushCore", "PushPlatform", "PushTesting", "PushSimulation", httpTypes]),
        .suite(
            "PushTestingTests",
            uses: ["PushCore", "PushTesting", "IndependentEncodings", httpTypes]),
        .providerSuite(
            "ForgeRock", uses: ["PushJOSE", "PushPlatform", "PushSealing", "ExternalTool"]),
        .simulatorSuite("ForgeRock", uses: [crypto], hasVectors: false),
        .providerSuite("Keycloak", uses: ["PushJOSE"]),
        .simulatorSuite("Keycloak", uses: [crypto, cryptoExtras]),
        .providerSuite("OneSpan", uses: ["PushOneSpanReference", "ExternalTool"]),
        .simulatorSuite("OneSpan", uses: [crypto]),
        .providerSuite("PlusAuth", uses: ["PushJOSE", "ExternalTool", cryptoExtras]),
        .simulatorSuite("PlusAuth", uses: [crypto, cryptoExtras]),
        .providerSuite("PowerAuth", uses: ["PushJOSE", "ExternalTool", cryptoExtras]),
        .simulatorSuite("PowerAuth", uses: [crypto, cryptoExtras]),
        .providerSuite("PrivacyIDEA", uses: ["PushJOSE", cryptoExtras]),
        .simulatorSuite("PrivacyIDEA", uses: [cryptoExtras]),
        .providerSuite(
            "XignIn", uses: ["PushPlatform", "PushXignInReference", "ExternalTool"]),
        .simulatorSuite("XignIn", uses: [crypto]),
        .suite("TidyTests", uses: ["ExternalTool"]),
    ]
)

// Not CI: integrators set that, too, and their compiler may warn where ours does not.
if Context.environment["PUSH_AUTH_STRICT"] != nil {
    for target in package.targets where !target.name.hasPrefix("CPush") {
        target.swiftSettings?.append(.treatAllWarnings(as: .error))
    }
}

// What thousands of simulated schedules run through takes half the time; the gate names it.
let optimized = Context.environment["PUSH_AUTH_OPTIMIZED"]?.split(separator: " ") ?? []
for target in package.targets where optimized.contains(Substring(target.name)) {
    target.swiftSettings?.append(.unsafeFlags(["-O"]))
}

// `make fuzz` and `make bench` alone: they are other packages, and some parsers have `package` access.
if Context.environment["PUSH_AUTH_INNER"] != nil {
    let fuzzed = [
        "PushEtcd", "PushForgeRock", "PushOneSpan", "PushOneSpanReference", "PushPlatform",
        "PushPlusAuth", "PushPostgres", "PushPowerAuth", "PushPrivacyIDEA", "PushSealing",
        "PushXignIn", "PushXignInReference",
    ]
    for (name, folder, plugins) in [
        ("PushFuzzing", "Fuzzing", fuzzed), ("PushBenchmarks", "Benchmarks", ["PushPowerAuth"]),
    ] {
        package.products.append(.library(name: name, targets: [name]))
        package.targets.append(
            .inner(
                name, of: folder,
                uses: ["PushCore", "PushJOSE", crypto, httpTypes]
                    + plugins.map { .target(name: $0) }))
    }
    // What is measured of it is internal. `.ci/fuzz` builds every target for testing, anyway.
    for target in package.targets where target.name == "PushPowerAuth" {
        target.swiftSettings?.append(.unsafeFlags(["-enable-testing"]))
    }
}

extension Target {
    private static let settings: [SwiftSetting] = [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    ]

    /// One that apps ship.
    static func module(_ name: String, uses dependencies: [Dependency]) -> Target {
        .target(
            name: name, dependencies: dependencies, path: "Modules/\(name)",
            exclude: privacyExcluded, resources: privacyResources, swiftSettings: settings)
    }

    /// A vendor's plugin, which may be built as one outside this package would be.
    static func plugin(
        _ vendor: String, uses dependencies: [Dependency], seesOnlyPublic: Bool = false
    ) -> Target {
        .target(
            name: "Push\(vendor)", dependencies: dependencies,
            path: "Plugins/\(vendor)/Provider", exclude: privacyExcluded,
            resources: privacyResources, packageAccess: !seesOnlyPublic, swiftSettings: settings)
    }

    /// An open format of this project, where the vendor's isn't published.
    static func reference(_ vendor: String, uses dependencies: [Dependency]) -> Target {
        .target(
            name: "Push\(vendor)Reference", dependencies: dependencies,
            path: "Plugins/\(vendor)/Reference", exclude: privacyExcluded,
            resources: privacyResources, swiftSettings: settings)
    }

    static func simulator(
        _ vendor: String, uses dependencies: [Dependency], seesOnlyPublic: Bool = false
    ) -> Target {
        .target(
            name: "Push\(vendor)Simulator", dependencies: dependencies,
            path: "Plugins/\(vendor)/Simulator", packageAccess: !seesOnlyPublic,
            swiftSettings: settings)
    }

    static func inner(
        _ name: String, of folder: String, uses dependencies: [Dependency]
    ) -> Target {
        .target(
            name: name, dependencies: dependencies, path: "Tests/\(folder)/Inner",
            swiftSettings: settings)
    }

    /// What several suites or modules share, and no app ships as a product.
    static func support(
        _ name: String, at folder: String? = nil, in room: String = "Tests",
        uses dependencies: [Dependency] = []
    ) -> Target {
        .target(
            name: name, dependencies: dependencies, path: "\(room)/\(folder ?? name)",
            swiftSettings: settings)
    }

    static func providerSuite(_ vendor: String, uses dependencies: [Dependency]) -> Target {
        .suite(
            "Push\(vendor)Tests",
            uses: ["PushCore", "PushTesting", "IndependentEncodings", crypto, httpTypes]
                + dependencies
                + [.target(name: "Push\(vendor)"), .target(name: "Push\(vendor)Simulator")],
            resources: [.copy("Vectors")])
    }

    static func simulatorSuite(
        _ vendor: String, uses dependencies: [Dependency], hasVectors: Bool = true
    ) -> Target {
        .suite(
            "Push\(vendor)SimulatorTests",
            uses: ["PushCore", "PushTesting", "ExternalTool", "IndependentEncodings", httpTypes]
                + dependencies + [.target(name: "Push\(vendor)Simulator")],
            resources: hasVectors ? [.copy("Vectors")] : nil)
    }

    static func suite(
        _ name: String, uses dependencies: [Dependency], resources: [Resource]? = nil
    ) -> Target {
        .testTarget(
            name: name, dependencies: dependencies, path: "Tests/\(name)",
            resources: resources, swiftSettings: settings)
    }
}
