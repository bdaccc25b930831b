// swift-tools-version: 6.3
import PackageDescription

// What `.ci/sizes` builds, strips and measures: programs that differ by one product each.

func sdk(_ product: String) -> Target.Dependency {
    .product(name: product, package: "swift-push-auth")
}

/// The products beside PushCore and PushPlatform, each in a program of its own and all in one.
let measured = [
    "PushSealing", "PushEtcd", "PushPostgres", "PushJOSE",
    "PushForgeRock", "PushKeycloak", "PushPlusAuth", "PushPowerAuth", "PushPrivacyIDEA",
    "PushOneSpan", "PushOneSpanReference", "PushXignIn", "PushXignInReference",
]

let package = Package(
    name: "sizes",
    platforms: [.macOS(.v13)],
    dependencies: [.package(name: "swift-push-auth", path: "../..")],
    targets: [
        .executableTarget(name: "Empty", path: "Empty"),
        .executableTarget(name: "EmptyWithFoundation", path: "EmptyWithFoundation"),
        .program("WithPushCore", uses: [sdk("PushCore")]),
        .target(
            name: "Receiving", dependencies: [sdk("PushCore"), sdk("PushPlatform")],
            path: "Receiving"),
        .receiver("WithPushPlatform", uses: []),
        .receiver("WithAll", uses: measured),
        .program(
            "Prepare",
            uses: [
                sdk("PushCore"), sdk("PushForgeRock"), sdk("PushForgeRockSimulator"),
                sdk("PushPlatform"), sdk("PushTesting"),
            ]),
    ] + measured.map { .receiver("With\($0)", uses: plugin(of: $0) + [$0]) }
)

/// The plugin that an open format is for.
func plugin(of product: String) -> [String] {
    let end = "Reference"
    return product.hasSuffix(end) ? [String(product.dropLast(end.count))] : []
}

extension Target {
    static func program(_ name: String, uses dependencies: [Dependency]) -> Target {
        .executableTarget(name: name, dependencies: dependencies, path: name)
    }

    /// An app without a user interface, and what else it links.
    static func receiver(_ name: String, uses products: [String]) -> Target {
        .program(
            name,
            uses: ["Receiving", sdk("PushCore"), sdk("PushPlatform")] + products.map(sdk))
    }
}
