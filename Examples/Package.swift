// swift-tools-version: 6.3
import PackageDescription

/// A product of the SDK, whatever its clone's folder is called.
func sdk(_ product: String) -> Target.Dependency {
    .product(name: product, package: "swift-push-auth")
}

let vendors = [
    "ForgeRock", "Keycloak", "OneSpan", "PlusAuth", "PowerAuth", "PrivacyIDEA", "XignIn",
]
let plugins = (vendors + ["OneSpanReference", "XignInReference"]).map { sdk("Push\($0)") }
let simulators = vendors.map { sdk("Push\($0)Simulator") }
let httpTypes: Target.Dependency = .product(name: "HTTPTypes", package: "swift-http-types")

let package = Package(
    name: "push-auth-examples",
    platforms: [.macOS(.v14)],  // Hummingbird's; the SDK itself asks for less
    products: [
        // What a package elsewhere needs for a `pushauth` with its own vendor, and a server for that.
        .library(name: "PushAuthCommand", targets: ["PushAuthCommand", "VendorRegistration"]),
        .library(name: "LinkedVendors", targets: ["LinkedVendors"]),
        .library(name: "LocalServer", targets: ["LocalServer"]),
    ],
    dependencies: [
        .package(name: "swift-push-auth", path: ".."),
        .package(url: "https://github.com/apple/swift-argument-parser.git", exact: "1.8.2"),
        .package(url: "https://github.com/apple/swift-asn1.git", exact: "1.7.4"),
        .package(url: "https://github.com/apple/swift-certificates.git", exact: "1.21.1"),
        .package(url: "https://github.com/apple/swift-crypto.git", exact: "4.5.2"),
        .package(
            url: "https://github.com/apple/swift-distributed-tracing.git", exact: "1.7.3"),
        .package(url: "https://github.com/apple/swift-http-types.git", exact: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log.git", exact: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics.git", exact: "2.13.0"),
        .package(url: "https://github.com/apple/swift-nio.git", exact: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-extras.git", exact: "1.35.2"),
        .package(url: "https://github.com/apple/swift-nio-http2.git", exact: "1.46.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl.git", exact: "2.37.6"),
        .package(url: "https://github.com/LebJe/TOMLKit.git", exact: "0.6.0"),
        // Without its readers of swift-configuration, which nothing here uses.
        .package(
            url: "https://github.com/hummingbird-project/hummingbird.git", exact: "2.28.1",
            traits: ["FullFoundation"]),
    ],
    targets: [
        .library(
            "LocalServer", at: "Programs/LocalServer",
            uses: [
                httpTypes,
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "HummingbirdHTTP2", package: "hummingbird"),
                .product(name: "HummingbirdTLS", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHPACK", package: "swift-nio-http2"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHTTP2", package: "swift-nio-http2"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
                .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras"),
                .product(name: "NIOHTTPTypesHTTP2", package: "swift-nio-extras"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "NIOTLS", package: "swift-nio"),
                .product(name: "SwiftASN1", package: "swift-asn1"),
                .product(name: "X509", package: "swift-certificates"),
            ]),
        .executable(
            "quickstart", uses: [sdk("PushCore"), sdk("PushForgeRock"), sdk("PushPlatform")]),
        .executable(
            "first-login",
            uses: [
                sdk("PushCore"), sdk("PushForgeRock"), sdk("PushForgeRockSimulator"),
                sdk("PushTesting"),
            ]),
        .executable(
            "several-vendors",
            uses: [
                sdk("PushCore"), sdk("PushForgeRock"), sdk("PushForgeRockSimulator"),
                sdk("PushPlusAuth"), sdk("PushPlusAuthSimulator"), sdk("PushTesting"),
            ]),
        .library(
            "IOSApp", at: "ios-app",
            uses: [
                sdk("PushCore"), sdk("PushForgeRock"), sdk("PushPlatform"), sdk("PushPlusAuth"),
            ],
            besides: [
                "App/App.entitlements", "App/Info.plist", "Extension/Extension.entitlements",
                "Extension/Info.plist",
            ]),
        .library(
            "VendorSamples", at: "vendor-samples",
            uses: [
                sdk("PushCore"), sdk("PushForgeRock"), sdk("PushOneSpan"), sdk("PushPlatform"),
                sdk("PushXignIn"), sdk("PushXignInReference"),
            ]),
        .library("TerminalIO", at: "Programs/TerminalIO", uses: [sdk("PushPlatform")]),
        .library("PosixFiles", at: "Programs/PosixFiles"),
        .library("QRCode", at: "Programs/QRCode"),
        .library(
            "VendorRegistration", at: "Programs/VendorRegistration",
            uses: [httpTypes, sdk("PushCore")]),
        .library(
            "LinkedVendors", at: "Programs/LinkedVendors",
            uses: plugins + ["VendorRegistration", httpTypes, sdk("PushCore")]),
        .library(
            "PushCapture", at: "Programs/PushCapture",
            uses: ["TerminalIO", httpTypes, sdk("PushCore"), sdk("PushJOSE")]),
        .library(
            "PushAuthCommand", at: "Programs/PushAuthCommand",
            uses: [
                "LocalServer", "PosixFiles", "PushCapture", "TerminalIO", "VendorRegistration",
                httpTypes, sdk("PushCore"), sdk("PushJOSE"), sdk("PushPlatform"),
                sdk("PushSealing"), sdk("PushEtcd"), sdk("PushPostgres"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
                .product(name: "TOMLKit", package: "TOMLKit"),
            ]),
        .executable(
            "pushauth", at: "Programs/pushauth", uses: ["LinkedVendors", "PushAuthCommand"]),
        .executable(
            "enroll-with-powerauth",
            uses: [
                sdk("PushCore"), sdk("PushPowerAuth"), sdk("PushPowerAuthSimulator"),
                sdk("PushTesting"),
            ]),
        .executable(
            "push-lab", at: "Programs/push-lab",
            uses: plugins + simulators + [
                "LinkedVendors", "LocalServer", "PushAuthCommand", "PushCapture", "QRCode",
                "TerminalIO", "VendorRegistration",
                httpTypes, sdk("PushCore"), sdk("PushJOSE"), sdk("PushPlatform"),
                sdk("PushSealing"), sdk("PushTesting"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "NIOTLS", package: "swift-nio"),
                .product(name: "SwiftASN1", package: "swift-asn1"),
                .product(name: "X509", package: "swift-certificates"),
            ]),
        .library(
            "PushAcme", at: "your-own-plugin/Provider",
            uses: [
                httpTypes, sdk("PushCore"), .product(name: "Crypto", package: "swift-crypto"),
            ]),
        .library(
            "PushAcmeSimulator", at: "your-own-plugin/Simulator",
            uses: [
                httpTypes, sdk("PushCore"), sdk("PushTesting"),
                .product(name: "Crypto", package: "swift-crypto"),
            ]),
        .executable(
            "your-own-plugin", at: "your-own-plugin/Program",
            uses: ["PushAcme", "PushAcmeSimulator", sdk("PushCore"), sdk("PushTesting")]),
        .executable(
            "acme-server", at: "your-own-plugin/Server",
            uses: ["LocalServer", "PushAcmeSimulator", sdk("PushCore"), sdk("PushTesting")]),
        .executable(
            "pushauth-with-acme", at: "your-own-plugin/PushAuth",
            uses: [
                "LinkedVendors", "PushAcme", "PushAuthCommand", "VendorRegistration",
                sdk("PushCore"),
            ]),
        .library(
            "TelemetryAdapters", at: "telemetry/Adapters",
            uses: [
                sdk("PushCore"),
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
            ]),
        .executable(
            "traced-login", at: "telemetry/Program",
            uses: [
                "PushAcme", "TelemetryAdapters", sdk("PushCore"), sdk("PushPlatform"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
            ]),
        .suite(
            "EndToEnd",
            uses: plugins + simulators + [
                "IOSApp", "LinkedVendors", "LocalServer", "QRCode", "TelemetryAdapters",
                "PushCapture", "TerminalIO", "VendorRegistration", "acme-server",
                "enroll-with-powerauth", "first-login",
                "several-vendors", "push-lab", "pushauth", "pushauth-with-acme", "quickstart",
                "traced-login", "your-own-plugin", "PushAcme",
                "PushAcmeSimulator", "PushAuthCommand", httpTypes, sdk("PushCore"),
                sdk("PushPlatform"), sdk("PushSealing"), sdk("PushTesting"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "MetricsTestKit", package: "swift-metrics"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "SwiftASN1", package: "swift-asn1"),
                .product(name: "TOMLKit", package: "TOMLKit"),
                .product(name: "X509", package: "swift-certificates"),
            ]),
    ]
)

// As in the root manifest: not CI, where another compiler may warn of more.
if Context.environment["PUSH_AUTH_STRICT"] != nil {
    for target in package.targets {
        target.swiftSettings?.append(.treatAllWarnings(as: .error))
    }
}

extension Target {
    private static let settings: [SwiftSetting] = [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    ]

    static func library(
        _ name: String, at path: String, uses dependencies: [Dependency] = [],
        besides others: [String] = []
    ) -> Target {
        .target(
            name: name, dependencies: dependencies, path: path, exclude: others,
            swiftSettings: settings)
    }

    static func executable(
        _ name: String, at path: String? = nil, uses dependencies: [Dependency]
    ) -> Target {
        .executableTarget(
            name: name, dependencies: dependencies, path: path ?? name, swiftSettings: settings)
    }

    static func suite(_ name: String, uses dependencies: [Dependency]) -> Target {
        .testTarget(
            name: name, dependencies: dependencies, path: "Tests/\(name)",
            swiftSettings: settings)
    }
}
