// swift-tools-version: 6.3
import PackageDescription

// An async function runs where its caller does, as in the SDK: no hop is measured.
let settings: [SwiftSetting] = [.enableUpcomingFeature("NonisolatedNonsendingByDefault")]

let package = Package(
    name: "benchmarks",
    platforms: [.macOS(.v13)],
    dependencies: [.package(name: "swift-push-auth", path: "../..")],
    targets: [
        .target(name: "Harness", path: "Harness", swiftSettings: settings),
        .executableTarget(
            name: "push-bench",
            dependencies: [
                "Harness", .product(name: "PushCore", package: "swift-push-auth"),
            ],
            path: "push-bench", swiftSettings: settings),
    ]
)
