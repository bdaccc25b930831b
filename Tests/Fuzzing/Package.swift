// swift-tools-version: 6.3
import PackageDescription

// `make fuzz` builds this package: coverage instrumentation, and so libFuzzer itself, comes from its
// `-sanitize` flags, which a manifest can't set for a dependency; and only PUSH_AUTH_INNER, which it
// sets, makes the root package have a PushFuzzing.

let package = Package(
    name: "fuzzing",
    platforms: [.macOS(.v13)],
    dependencies: [
        .package(name: "swift-push-auth", path: "../.."),
        .package(url: "https://github.com/apple/swift-crypto.git", from: "4.0.0"),
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.8.0"),
    ],
    targets: [
        .target(name: "CFuzzer", path: "CFuzzer"),
        .target(name: "PushAuthFuzzing", dependencies: ["CFuzzer"], path: "PushAuthFuzzing"),
        .fuzzer(
            "FuzzActivationCode", uses: ["PushCore", "PushPowerAuth", "PushTesting"],
            and: [
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ]),
        .fuzzer("FuzzActivationLink", uses: ["PushCore", "PushXignIn", "PushXignInReference"]),
        .fuzzer("FuzzBase64", uses: ["PushFuzzing"]),
        .fuzzer("FuzzDER", uses: ["PushFuzzing"]),
        .fuzzer("FuzzEndpoint", uses: ["PushCore"]),
        .fuzzer("FuzzEnrollmentURI", uses: ["PushCore", "PushForgeRock"]),
        .fuzzer("FuzzJSON", uses: ["PushCore"]),
        .fuzzer("FuzzJWT", uses: ["PushFuzzing"]),
        .fuzzer("FuzzLongJSON", uses: ["PushCore"]),
        .fuzzer("FuzzOOCCommand", uses: ["PushFuzzing"]),
        .fuzzer(
            "FuzzOOSPush",
            uses: [
                "PushCore", "PushFuzzing", "PushOneSpan", "PushOneSpanReference",
                "PushOneSpanSimulator", "PushTesting",
            ],
            and: [
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ]),
        .fuzzer("FuzzOfflineCode", uses: ["PushFuzzing"]),
        .fuzzer(
            "FuzzOXRWPush",
            uses: [
                "PushCore", "PushTesting", "PushXignIn", "PushXignInReference",
                "PushXignInSimulator",
            ],
            and: [
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ]),
        .fuzzer("FuzzOXRWReply", uses: ["PushFuzzing"]),
        .fuzzer(
            "FuzzPipushCode", uses: ["PushCore", "PushPrivacyIDEA", "PushTesting"],
            and: [.product(name: "HTTPTypes", package: "swift-http-types")]),
        .fuzzer("FuzzPowerAuthBank", uses: ["PushFuzzing"]),
        .fuzzer(
            "FuzzPowerAuthPush",
            uses: ["PushCore", "PushPowerAuth", "PushPowerAuthSimulator", "PushTesting"]),
        .fuzzer(
            "FuzzPowerAuthRecord", uses: ["PushCore", "PushPowerAuth", "PushTesting"],
            and: [.product(name: "HTTPTypes", package: "swift-http-types")]),
        .fuzzer("FuzzPowerAuthReply", uses: ["PushFuzzing"]),
        .fuzzer(
            "FuzzPush", uses: ["PushCore", "PushForgeRock", "PushTesting"],
            and: [
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ]),
        .fuzzer(
            "FuzzPushContext", uses: ["PushCore", "PushFuzzing", "PushPlusAuth", "PushTesting"],
            and: [
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ]),
        .fuzzer("FuzzPushEnrollmentURI", uses: ["PushCore", "PushPlusAuth"]),
        .fuzzer("FuzzSecretRecord", uses: ["PushCore"]),
        .fuzzer(
            "FuzzSignedChallenge",
            uses: ["PushCore", "PushPrivacyIDEA", "PushPrivacyIDEASimulator", "PushTesting"],
            and: [
                .product(name: "CryptoExtras", package: "swift-crypto"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ]),
        .fuzzer(
            "FuzzStoredArchive", uses: ["PushCore", "PushForgeRock", "PushTesting"],
            and: [.product(name: "HTTPTypes", package: "swift-http-types")]),
        .fuzzer(
            "FuzzStoredJSON", uses: ["PushCore", "PushForgeRock", "PushTesting"],
            and: [.product(name: "HTTPTypes", package: "swift-http-types")]),
    ]
)

extension Target {
    static func fuzzer(
        _ name: String, uses products: [String], and others: [Dependency] = []
    ) -> Target {
        .executableTarget(
            name: name,
            dependencies: ["PushAuthFuzzing"]
                + products.map { .product(name: $0, package: "swift-push-auth") } + others,
            path: name)
    }
}
