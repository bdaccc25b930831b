// swift-tools-version: 6.3
import PackageDescription

// An async function runs where its caller does, as in the SDK: no hop is measured.
let settings: [SwiftSetting] = [.enableUpcomingFeature("NonisolatedNonsendingByDefault")]

// Build it with PUSH_AUTH_INNER set, as `make bench` does: else the root package has no
// PushBenchmarks, which reaches its `package` code.

let package = Package(
    name: "benchmarks",
    platforms: [.macOS(.v13)],
    dependencies: [
        .package(name: "swift-push-auth", path: "../.."),
        .package(url: "https://github.com/apple/swift-crypto.git", from: "4.0.0"),
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.8.0"),
        .package(url: "https://github.com/vapor/jwt-kit.git", from: "5.7.1"),
    ],
    targets: [
        .target(name: "Harness", path: "Harness", swiftSettings: settings),
        .executableTarget(
            name: "push-bench",
            dependencies: [
                "Harness",
                .product(name: "PushBenchmarks", package: "swift-push-auth"),
                .product(name: "PushCore", package: "swift-push-auth"),
                .product(name: "PushEtcd", package: "swift-push-auth"),
                .product(name: "PushForgeRock", package: "swift-push-auth"),
                .product(name: "PushForgeRockSimulator", package: "swift-push-auth"),
                .product(name: "PushJOSE", package: "swift-push-auth"),
                .product(name: "PushOneSpan", package: "swift-push-auth"),
                .product(name: "PushOneSpanReference", package: "swift-push-auth"),
                .product(name: "PushOneSpanSimulator", package: "swift-push-auth"),
                .product(name: "PushPlatform", package: "swift-push-auth"),
                .product(name: "PushPlusAuth", package: "swift-push-auth"),
                .product(name: "PushPlusAuthSimulator", package: "swift-push-auth"),
                .product(name: "PushPostgres", package: "swift-push-auth"),
                .product(name: "PushPowerAuth", package: "swift-push-auth"),
                .product(name: "PushPowerAuthSimulator", package: "swift-push-auth"),
                .product(name: "PushPrivacyIDEA", package: "swift-push-auth"),
                .product(name: "PushPrivacyIDEASimulator", package: "swift-push-auth"),
                .product(name: "PushSealing", package: "swift-push-auth"),
                .product(name: "PushTesting", package: "swift-push-auth"),
                .product(name: "PushXignIn", package: "swift-push-auth"),
                .product(name: "PushXignInReference", package: "swift-push-auth"),
                .product(name: "PushXignInSimulator", package: "swift-push-auth"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "JWTKit", package: "jwt-kit"),
            ],
            path: "push-bench", swiftSettings: settings),
    ]
)
