import Crypto
import CryptoExtras
import Foundation
import LocalServer
import PushCore

/// What the intakes of a fleet need: made once, kept sealed in the store, the same in every
/// process.
struct FleetSetup: Sendable {
    /// Where senders find the fleet, as a balancer shows it.
    struct Addresses: Hashable, Sendable {
        /// Of FCM and HTTP, without a path.
        let web: String
        /// Of APNs, without a path.
        let apns: String

        /// - Throws: `Failure` if one isn't such a URL.
        init(web: String, apns: String?) throws(Failure) {
            guard let web = Self.origin(web, schemes: ["https", "http"]) else {
                throw Failure(
                    .usage,
                    "--public-url takes a URL without a path, such as https://push.example.")
            }
            let host = URL(string: web)?.host ?? ""
            let usual = "https://\(host.contains(":") ? "[\(host)]" : host):2197"
            guard let apns = Self.origin(apns ?? usual, schemes: ["https"]) else {
                throw Failure(
                    .usage,
                    "--apns-url takes an https URL without a path, such as https://push.example:2197."
                )
            }
            (self.web, self.apns) = (web, apns)
        }

        /// The name that the certificate of APNs must have.
        var apnsHost: String {
            let host = URL(string: apns)?.host ?? ""
            return host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        }

        private static func origin(_ text: String, schemes: [String]) -> String? {
            guard let url = URL(string: text), let scheme = url.scheme?.lowercased(),
                schemes.contains(scheme), let host = url.host, !host.isEmpty,
                ["", "/"].contains(url.path), url.query == nil, url.fragment == nil,
                url.user == nil, url.password == nil
            else { return nil }
            return text.hasSuffix("/") ? String(text.dropLast()) : text
        }
    }

    let addresses: Addresses
    /// Of the devices' tokens.
    let key: Secret
    let account: ServiceAccount
    let provider: ProviderKey
    let httpSecret: Secret
    let identities: IntakeIdentities

    /// Of FCM's access tokens: every process takes those of the others. No sender can reckon it,
    /// and a new account makes it another.
    var accessKey: Secret {
        FleetTokens.derived("access tokens of \(account.keyID)", from: key)
            .withUnsafeBytes { Secret(Array($0)) }
    }

    var tokens: FleetTokens { FleetTokens(key: key, project: account.project) }

    /// How long the certificates are good: who renews them renews all that senders were given.
    private static let lifetime: TimeInterval = 10 * 365 * 86_400

    /// Makes a new one.
    static func make(
        at addresses: Addresses, random: any RandomSource
    ) async throws(Failure) -> FleetSetup {
        try await make(
            at: addresses, key: random.bytes(32), project: nil, topic: ProviderKey.usualTopic,
            random: random)
    }

    /// The same fleet, whose devices have the same tokens, with all that senders hold made new.
    func renewed(random: any RandomSource) async throws(Failure) -> FleetSetup {
        try await Self.make(
            at: addresses, key: key, project: account.project, topic: provider.topic, random: random
        )
    }

    private static func make(
        at addresses: Addresses, key: Secret, project: String?, topic: String,
        random: any RandomSource
    ) async throws(Failure) -> FleetSetup {
        let provider = ProviderKey(
            keyID: random.hex(5).uppercased(), teamID: random.hex(5).uppercased(),
            topic: topic, key: P256.Signing.PrivateKey())
        return FleetSetup(
            addresses: addresses, key: key,
            account: try await ServiceAccount.make(project, random: random), provider: provider,
            httpSecret: Secret(random.hex(32).utf8),
            identities: try IntakeIdentities.make(
                for: addresses.apnsHost, provider, lifetime: lifetime))
    }

    // MARK: As a record

    private static let damaged = PushError(.malformed, "The fleet's setup in the store is damaged.")

    init(reading record: Secret) throws(PushError) {
        let record = try Secret.Record(reading: record)
        let fields = record.fields
        guard record.secrets.count == 6, let web = fields["web"]?.string,
            let keyID = fields["key_id"]?.string, let teamID = fields["team_id"]?.string,
            let topic = fields["topic"]?.string,
            let addresses = try? Addresses(web: web, apns: fields["apns"]?.string),
            let account = ServiceAccount(Data(record.secrets[1].copiedText().utf8)),
            let key = try? P256.Signing.PrivateKey(
                pemRepresentation: record.secrets[2].copiedText()),
            let identities = try? IntakeIdentities(
                server: record.secrets[4].copiedText(), client: record.secrets[5].copiedText())
        else { throw Self.damaged }
        self.init(
            addresses: addresses, key: record.secrets[0], account: account,
            provider: ProviderKey(keyID: keyID, teamID: teamID, topic: topic, key: key),
            httpSecret: record.secrets[3], identities: identities)
    }

    private init(
        addresses: Addresses, key: Secret, account: ServiceAccount, provider: ProviderKey,
        httpSecret: Secret, identities: IntakeIdentities
    ) {
        self.addresses = addresses
        self.key = key
        self.account = account
        self.provider = provider
        self.httpSecret = httpSecret
        self.identities = identities
    }

    var record: Secret {
        Secret.Record(
            fields: [
                "web": .string(addresses.web), "apns": .string(addresses.apns),
                "key_id": .string(provider.keyID), "team_id": .string(provider.teamID),
                "topic": .string(provider.topic),
            ],
            secrets: [
                key, Secret(account.file(tokenURL: FCMEndpoint.tokenURL(at: addresses.web))),
                Secret(provider.key.pemRepresentation.utf8), httpSecret,
                Secret(identities.serverPEM.utf8), Secret(identities.clientPEM.utf8),
            ]
        ).sealed
    }

    /// Writes what senders need.
    func write(into directory: CredentialsDirectory) throws(Failure) {
        try directory.keep(account, tokenURL: FCMEndpoint.tokenURL(at: addresses.web))
        try directory.keep(provider, url: addresses.apns)
        try directory.keep(Data(identities.clientPEM.utf8), in: .apnsClient)
        try directory.keep(Data(identities.authority.utf8), in: .authority)
        try directory.keep(Data((httpSecret.copiedText() + "\n").utf8), in: .httpSecret)
    }
}
