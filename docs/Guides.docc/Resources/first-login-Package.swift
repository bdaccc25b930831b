// swift-tools-version: 6.3
import PackageDescription

let package = Package(
    name: "first-login",
    platforms: [.iOS(.v16), .macOS(.v13)],
    dependencies: [.package(path: "../swift-push-auth")],
    targets: [
        .executableTarget(
            name: "FirstLogin",
            dependencies: [
                .product(name: "PushCore", package: "swift-push-auth"),
                .product(name: "PushForgeRock", package: "swift-push-auth"),
                .product(name: "PushForgeRockSimulator", package: "swift-push-auth"),
                .product(name: "PushTesting", package: "swift-push-auth"),
            ])
    ])
