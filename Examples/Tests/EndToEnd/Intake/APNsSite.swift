import Crypto
import Foundation
import LocalServer
import PushCore
import PushTesting
import Testing

@testable import PushAuthCommand
@testable import push_lab

/// An APNs intake that listens, and how to reach it.
struct APNsSite {
    /// The device token that it takes.
    static let token = String(repeating: "0a", count: 32)

    let credentials: CredentialsDirectory
    let key: ProviderKey
    let pushes: Recorder
    let port: Int
    let curl: Curl

    var own: String { credentials.path(.apnsClient) }
    var openSSL: OpenSSL { OpenSSL(directory: URL(fileURLWithPath: credentials.directory)) }

    /// Runs a test with an intake that listens, and ends it after.
    ///
    /// - Parameters:
    ///   - authority: Whose client certificates are taken, as PEM; its own by default.
    ///   - patience: How long a client may take.
    ///   - limits: How many connections and streams it keeps; any number by default.
    ///   - test: Gets the intake.
    /// - Throws: What the test throws.
    static func listen(
        trusting authority: String? = nil, patience: Duration = .seconds(60),
        keeping limits: ConnectionLimits? = nil,
        _ test: (APNsSite) async throws -> Void
    ) async throws {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        let random = SeededRandom(seed: 5)
        let credentials = try CredentialsDirectory(directory.url.path)
        let key = try credentials.providerKey(random: random)
        let vouched = try await credentials.identities(for: "127.0.0.1", key)
        try credentials.keep(Data(vouched.authority.utf8), in: .authority)
        let address = try #require(IntakeAddress(argument: "127.0.0.1:0"))
        var server = IntakeServer(address: address, identity: vouched.server)
        server.patience = patience
        server.connections = limits.map { ConnectionGate($0) }
        let intake = APNsIntake(
            server, credentials: credentials,
            endpoint: APNsEndpoint(key: key, token: token, random: random),
            trust: try authority.map { try ClientTrust(authorities: $0) } ?? vouched.trust)
        let pushes = Recorder()
        let url = try await intake.start(pushes.taker)["url"]?.string ?? ""
        do {
            let port = try #require(URL(string: url)?.port)
            try await test(
                APNsSite(
                    credentials: credentials, key: key, pushes: pushes, port: port,
                    curl: Curl(
                        url: "\(url)/3/device/\(token)", authority: credentials.path(.authority))))
            await intake.stop()
        } catch {
            await intake.stop()
            throw error
        }
    }

    /// A provider token.
    ///
    /// `issued` says how the moment is written; by default it is a whole number.
    func token(age: Int64 = 0, issued: (Int64) -> JSON = { .number(.init($0)) }) throws -> String {
        let moment = Int64(Date.now.timeIntervalSince1970) - age
        return try signedToken(
            header: ["alg": "ES256", "kid": .string(key.keyID)],
            claims: ["iss": .string(key.teamID), "iat": issued(moment)]
        ) { try key.key.signature(for: $0).rawRepresentation }
    }

    /// Writes a client's certificate and its key into one file.
    func file(_ identity: LocalIdentity) throws -> String {
        let path = "\(credentials.directory)/\(UUID().uuidString).pem"
        try Data("\(try identity.certificatesPEM)\n\(try identity.keyPEM)\n".utf8)
            .write(to: URL(fileURLWithPath: path))
        return path
    }
}
