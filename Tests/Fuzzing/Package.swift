// swift-tools-version: 6.3
import PackageDescription

// `make fuzz` builds this package: coverage instrumentation, and so libFuzzer itself, comes from
// its `-sanitize` flags, which a manifest can't set for a dependency; and only PUSH_AUTH_INNER,
// which it sets, makes the root package have a PushFuzzing.

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
        .readers("LocalServer", of: ["Base64URL.swift"]),
        .readers("TerminalIO", sdk: ["PushPlatform"]),
        .readers("PushCapture", uses: ["TerminalIO"], sdk: ["PushCore", "PushJOSE"]),
        .readers(
            "push-lab", of: ["Replay/CaptureReading.swift"], uses: ["PushCapture", "TerminalIO"],
            sdk: ["PushCore"]),
        .readers(
            "PushAuthCommand",
            of: [
                "Fleet/FleetDevice.swift", "Fleet/FleetTokens.swift",
                "Intake/APNs/APNsEndpoint.swift",
                "Intake/APNs/APNsHeaders.swift", "Intake/APNs/APNsReason.swift",
                "Intake/APNs/ProviderConnection.swift", "Intake/APNs/ProviderKey.swift",
                "Intake/CompactToken.swift", "Intake/FCM/AccessTokens.swift",
                "Intake/FCM/FCMAndroid.swift", "Intake/FCM/FCMFields.swift",
                "Intake/FCM/FCMMessage.swift", "Intake/FCM/FCMRefusal.swift",
                "Intake/FCM/FCMToken.swift", "Intake/FCM/GoogleScope.swift",
                "Intake/FCM/OAuthEndpoint.swift", "Intake/FCM/ServiceAccount.swift",
                "Intake/IncomingPush.swift", "Intake/IntakeReply.swift",
                "Program/HexadecimalText.swift",
            ],
            uses: ["LocalServer"], sdk: ["PushCore"]),
        .fuzzer("FuzzAPNsHeaders", uses: ["PushCore"], and: ["PushAuthCommand"]),
        .fuzzer("FuzzActivationCode", uses: ["PushCore", "PushPowerAuth", "PushTesting"]),
        .fuzzer("FuzzActivationLink", uses: ["PushCore", "PushXignIn", "PushXignInReference"]),
        .fuzzer("FuzzBase64", uses: ["PushFuzzing"]),
        .fuzzer("FuzzCapture", uses: ["PushCore"], and: ["PushCapture", "push-lab"]),
        .fuzzer("FuzzDER", uses: ["PushFuzzing"]),
        .fuzzer("FuzzEndpoint", uses: ["PushCore"]),
        .fuzzer("FuzzEnrollmentDocument", uses: ["PushFuzzing"]),
        .fuzzer("FuzzEnrollmentURI", uses: ["PushCore", "PushForgeRock"]),
        .fuzzer("FuzzEtcdReply", uses: ["PushFuzzing"]),
        .fuzzer("FuzzExport", uses: ["PushCore", "PushForgeRock", "PushJOSE", "PushTesting"]),
        .fuzzer("FuzzFCMMessage", uses: ["PushCore"], and: ["PushAuthCommand"]),
        .fuzzer("FuzzHTTPDate", uses: ["PushFuzzing"]),
        .fuzzer("FuzzJSON", uses: ["PushCore"]),
        .fuzzer("FuzzJWT", uses: ["PushFuzzing"]),
        .fuzzer("FuzzKeycloakCode", uses: ["PushCore", "PushKeycloak", "PushTesting"]),
        .fuzzer("FuzzKeycloakPush", uses: ["PushCore", "PushKeycloak", "PushTesting"]),
        .fuzzer("FuzzLedgerRow", uses: ["PushFuzzing"]),
        .fuzzer("FuzzLongJSON", uses: ["PushCore"]),
        .fuzzer(
            "FuzzLongText",
            uses: [
                "PushCore", "PushForgeRock", "PushFuzzing", "PushPlusAuth", "PushPrivacyIDEA",
                "PushTesting",
            ], and: ["PushAuthCommand", "PushCapture"]),
        .fuzzer("FuzzOAuthForm", uses: ["PushCore"], and: ["PushAuthCommand"]),
        .fuzzer("FuzzOIDCCallback", uses: ["PushFuzzing"]),
        .fuzzer("FuzzOOCCommand", uses: ["PushFuzzing"]),
        .fuzzer(
            "FuzzOOSPush",
            uses: [
                "PushCore", "PushFuzzing", "PushOneSpan", "PushOneSpanReference",
                "PushOneSpanSimulator", "PushTesting",
            ]),
        .fuzzer(
            "FuzzOXRWPush",
            uses: [
                "PushCore", "PushTesting", "PushXignIn", "PushXignInReference",
                "PushXignInSimulator",
            ]),
        .fuzzer("FuzzOXRWReply", uses: ["PushFuzzing"]),
        .fuzzer("FuzzOfflineCode", uses: ["PushFuzzing"]),
        .fuzzer("FuzzPipushCode", uses: ["PushCore", "PushPrivacyIDEA", "PushTesting"]),
        .fuzzer("FuzzPostgresRow", uses: ["PushFuzzing"]),
        .fuzzer("FuzzPowerAuthBank", uses: ["PushFuzzing"]),
        .fuzzer(
            "FuzzPowerAuthPush",
            uses: ["PushCore", "PushPowerAuth", "PushPowerAuthSimulator", "PushTesting"]),
        .fuzzer("FuzzPowerAuthRecord", uses: ["PushCore", "PushPowerAuth", "PushTesting"]),
        .fuzzer("FuzzPowerAuthReply", uses: ["PushFuzzing"]),
        .fuzzer("FuzzPush", uses: ["PushCore", "PushForgeRock", "PushTesting"]),
        .fuzzer(
            "FuzzPushContext",
            uses: ["PushCore", "PushFuzzing", "PushPlusAuth", "PushTesting"]),
        .fuzzer("FuzzPushEnrollmentURI", uses: ["PushCore", "PushPlusAuth"]),
        .fuzzer("FuzzSealedHeader", uses: ["PushFuzzing"]),
        .fuzzer("FuzzSecretRecord", uses: ["PushCore"]),
        .fuzzer(
            "FuzzSignedChallenge",
            uses: ["PushCore", "PushPrivacyIDEA", "PushPrivacyIDEASimulator", "PushTesting"]),
        .fuzzer("FuzzStoredArchive", uses: ["PushCore", "PushForgeRock", "PushTesting"]),
        .fuzzer("FuzzStoredJSON", uses: ["PushCore", "PushForgeRock", "PushTesting"]),
        .fuzzer("FuzzVendorReply", uses: ["PushCore", "PushFuzzing", "PushTesting"]),
    ]
)

extension Target {
    /// The SDK's products, and what most targets make keys and requests with.
    private static func sdk(_ products: [String]) -> [Dependency] {
        products.map { .product(name: $0, package: "swift-push-auth") } + [
            .product(name: "Crypto", package: "swift-crypto"),
            .product(name: "CryptoExtras", package: "swift-crypto"),
            .product(name: "HTTPTypes", package: "swift-http-types"),
        ]
    }

    static func fuzzer(
        _ name: String, uses products: [String], and others: [Dependency] = []
    ) -> Target {
        .executableTarget(
            name: name,
            dependencies: ["PushAuthFuzzing"] + others + sdk(products),
            path: name)
    }

    /// Readers of the programs in Examples, which build with what serves and draws as well: here
    /// are the files alone that read, by the link `Examples`.
    static func readers(
        _ name: String, of sources: [String]? = nil, uses others: [Dependency] = [],
        sdk products: [String] = []
    ) -> Target {
        .target(
            name: name,
            dependencies: others + sdk(products),
            path: "Examples/Programs/\(name)", sources: sources,
            swiftSettings: [
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("InternalImportsByDefault"),
                .enableUpcomingFeature("MemberImportVisibility"),
                .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
            ])
    }
}
