// swift-tools-version: 6.3
import PackageDescription

// `make fuzz` builds this package: coverage instrumentation, and so libFuzzer itself, comes from its
// `-sanitize` flags, which a manifest can't set for a dependency.

let package = Package(
    name: "fuzzing",
    platforms: [.macOS(.v13)],
    dependencies: [.package(name: "swift-push-auth", path: "../..")],
    targets: [
        .target(name: "CFuzzer", path: "CFuzzer"),
        .target(name: "PushAuthFuzzing", dependencies: ["CFuzzer"], path: "PushAuthFuzzing"),
        .fuzzer("FuzzJSON", uses: ["PushCore"]),
    ]
)

extension Target {
    static func fuzzer(_ name: String, uses products: [String]) -> Target {
        .executableTarget(
            name: name,
            dependencies: ["PushAuthFuzzing"]
                + products.map { .product(name: $0, package: "swift-push-auth") },
            path: name)
    }
}
