// swift-tools-version: 6.3
import PackageDescription

// What `.ci/sizes` builds, strips and measures: programs that differ by one product each.

func sdk(_ product: String) -> Target.Dependency {
    .product(name: product, package: "swift-push-auth")
}

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
        .receiver("WithPushSealing", uses: ["PushSealing"]),
        .receiver("WithPushEtcd", uses: ["PushEtcd"]),
        .receiver("WithPushPostgres", uses: ["PushPostgres"]),
        .receiver("WithPushJOSE", uses: ["PushJOSE"]),
        .receiver("WithPushForgeRock", uses: ["PushForgeRock"]),
        .receiver("WithPushKeycloak", uses: ["PushKeycloak"]),
        .receiver("WithPushPlusAuth", uses: ["PushPlusAuth"]),
        .receiver("WithPushXignIn", uses: ["PushXignIn"]),
        .receiver("WithPushXignInReference", uses: ["PushXignIn", "PushXignInReference"]),
        .receiver("WithPushPowerAuth", uses: ["PushPowerAuth"]),
        .receiver("WithPushOneSpan", uses: ["PushOneSpan"]),
        .receiver("WithPushOneSpanReference", uses: ["PushOneSpan", "PushOneSpanReference"]),
        .receiver("WithPushPrivacyIDEA", uses: ["PushPrivacyIDEA"]),
        .receiver(
            "WithAll",
            uses: [
                "PushJOSE", "PushForgeRock", "PushKeycloak", "PushPlusAuth", "PushXignIn",
                "PushXignInReference", "PushPowerAuth", "PushOneSpan", "PushOneSpanReference",
                "PushPrivacyIDEA", "PushSealing", "PushEtcd", "PushPostgres",
            ]),
        .program(
            "Prepare",
            uses: [
                sdk("PushCore"), sdk("PushForgeRock"), sdk("PushForgeRockSimulator"),
                sdk("PushPlatform"), sdk("PushTesting"),
            ]),
    ]
)

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
