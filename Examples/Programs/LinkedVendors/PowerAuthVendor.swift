import HTTPTypes
import PushCore
import PushPowerAuth
public import VendorRegistration

extension LinkedVendor {
    /// PowerAuth; each section is one application.
    public static let powerAuth = LinkedVendor(
        "powerauth", messages: "messageType and what belongs to it, an offline code, or a link",
        standard: PowerAuthSection?.none, servers: { $0.servers }
    ) { (section, place) throws(PushError) in
        PowerAuth(id: place.id, configuration: try section.configuration, in: place.environment)
    }
    .signing(by: .powerAuth)
}

private struct PowerAuthSection: Decodable {
    /// The mobile SDK configuration that the application's server shows.
    let sdkConfiguration: String
    let server: String
    /// Where operations and messages are, if not there.
    let operationServer: String?
    let version: String?
    let activationOTP: Bool?
    let biometry: Bool?

    var servers: [String] { [server] + (operationServer.map { [$0] } ?? []) }

    var configuration: PowerAuthConfiguration {
        get throws(PushError) {
            var configuration = try PowerAuthConfiguration(
                sdkConfiguration: sdkConfiguration, enrollmentServer: try Endpoint(server),
                operationServer: try operationServer.map { (url) throws(PushError) in
                    try Endpoint(url)
                })
            if let version { configuration.version = try Self.version(version) }
            if let activationOTP { configuration.asksActivationOTP = activationOTP }
            if let biometry { configuration.offersBiometry = biometry }
            return configuration
        }
    }

    enum CodingKeys: String, CodingKey {
        case server, version, biometry
        case sdkConfiguration = "sdk-configuration"
        case operationServer = "operation-server"
        case activationOTP = "activation-otp"
    }

    private static func version(_ text: String) throws(PushError) -> PowerAuthVersion {
        guard let version = PowerAuthVersion(rawValue: text) else {
            let known = PowerAuthVersion.allCases.map(\.rawValue).joined(separator: ", ")
            throw PushError(.invalidArgument, "version is one of \(known).")
        }
        return version
    }
}

extension RequestSigner {
    fileprivate static let powerAuth = RequestSigner(
        SignatureKind.allCases.map { Kind($0.rawValue, factors: $0.factors) }
    ) { (request, enrollment, provider, authenticator) throws(PushError) in
        guard let provider = provider as? PowerAuth,
            let kind = SignatureKind(rawValue: request.kind.name)
        else { throw PushError(.unsupported, "It isn't a signature of PowerAuth's.") }
        let factors = try kind.factors(request.evidence)
        let manager = try PowerAuthManager(
            authenticator, provider: provider, enrollment: enrollment)
        let signed = try await manager.requests.inTurn { (builder) async throws(PushError) in
            try await builder.signed(
                request.head, body: request.body, resource: request.resource, factors: factors)
        }
        return signed.head.headerFields
    }
}

/// What a signature proves, by the names that `pa_signature_type` of its header has.
private enum SignatureKind: String, CaseIterable {
    case possession
    case possessionKnowledge = "possession_knowledge"
    case possessionBiometry = "possession_biometry"
    case possessionKnowledgeBiometry = "possession_knowledge_biometry"
    case knowledge
    case biometry

    /// What the user has to bring.
    var factors: [Factor] {
        switch self {
        case .possession: []
        case .possessionKnowledge, .knowledge: [.pin]
        case .possessionBiometry, .biometry: [.biometry]
        case .possessionKnowledgeBiometry: [.pin, .biometry]
        }
    }

    func factors(_ evidence: [Evidence]) throws(PushError) -> PowerAuthFactors {
        let (pin, secret) = (evidence.pin, evidence.biometricSecret)
        switch (self, pin, secret) {
        case (.possession, _, _): return .possession
        case (.possessionKnowledge, let pin?, _): return .pin(pin)
        case (.possessionBiometry, _, let secret?): return .biometry(secret)
        case (.possessionKnowledgeBiometry, let pin?, let secret?):
            return .pinAndBiometry(pin: pin, secret: secret)
        case (.knowledge, let pin?, _): return .pinAlone(pin)
        case (.biometry, _, let secret?): return .biometryAlone(secret)
        default:
            throw PushError(
                .verificationFailed,
                pin == nil && factors.contains(.pin)
                    ? "The signature needs the PIN."
                    : "The signature needs the secret that biometry unlocks.")
        }
    }
}
