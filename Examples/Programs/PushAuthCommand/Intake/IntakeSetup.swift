import Foundation
import LocalServer
import PushCore
import TerminalIO

/// Makes the intakes that have a server, with their keys and tokens.
struct IntakeSetup {
    private let options: IntakeOptions
    private let random: any RandomSource
    private let credentials: CredentialsDirectory?
    private let tokens: DeviceTokenFile
    private let identity: LocalIdentity?
    private let connections: ConnectionGate

    /// - Parameters:
    ///   - options: Which intakes there are.
    ///   - session: Whose they are.
    ///   - connections: How many connections all of them keep.
    /// - Throws: `Failure` if the session is of a fleet, or a file can't be used.
    init(
        _ options: IntakeOptions, for session: Session, _ connections: ConnectionGate
    ) throws(Failure) {
        self.options = options
        self.connections = connections
        random = session.environment.random
        guard let tokens = session.tokenFile else { throw Fleet.hasNoIntake }
        self.tokens = tokens
        credentials =
            if let path = options.credentials { try CredentialsDirectory(path) } else { nil }
        identity = try options.identity()
    }

    func httpIntake(at address: IntakeAddress) throws(Failure) -> HTTPIntake {
        let secret =
            if let file = options.secretFile {
                try CredentialsDirectory.secret(in: PrivateFile(path: file, isOwn: false))
            } else {
                try needed().httpSecret(random: random)
            }
        return HTTPIntake(server(at: address, identity), secret: secret)
    }

    func fcmIntake(at address: IntakeAddress) async throws(Failure) -> FCMIntake {
        let credentials = try needed()
        let account = try await credentials.serviceAccount(random: random)
        var known = try tokens.read()
        let token = known.fcmToken(for: account.project, random: random)
        if known.chosen[.fcm] == nil, known.fcm != token {
            known.fcm = token
            try tokens.write(known)
        }
        return FCMIntake(
            server(at: address, identity), credentials: credentials,
            account: account, token: token, random: random,
            chosen: { [tokens] in
                guard case .fcm(let token) = tokens.chosen(.fcm) else { return nil }
                return token
            })
    }

    func apnsIntake(at address: IntakeAddress) async throws(Failure) -> APNsIntake {
        let credentials = try needed()
        let key = try credentials.providerKey(random: random)
        var known = try tokens.read()
        let token = known.apnsToken(random: random)
        if known.chosen[.apns] == nil, known.apns != token {
            known.apns = token
            try tokens.write(known)
        }
        let vouched = try await credentials.identities(for: address.host, key)
        if identity == nil { try credentials.keep(Data(vouched.authority.utf8), in: .authority) }
        return APNsIntake(
            server(at: address, identity ?? vouched.server),
            credentials: credentials,
            endpoint: APNsEndpoint(key: key, token: token, random: random), trust: vouched.trust,
            chosen: { [tokens] in
                guard case .apns(let token, _) = tokens.chosen(.apns) else { return nil }
                return token
            })
    }

    func metricsServer(
        at address: IntakeAddress, of meter: Meter, _ questions: VendorQuestions
    ) -> MetricsServer {
        MetricsServer(server: server(at: address, identity), meter: meter, questions: questions)
    }

    private func server(at address: IntakeAddress, _ identity: LocalIdentity?) -> IntakeServer {
        var server = IntakeServer(address: address, identity: identity)
        server.connections = connections
        return server
    }

    private func needed() throws(Failure) -> CredentialsDirectory {
        guard let credentials else { throw Failure(.failed, "--credentials is missing.") }
        return credentials
    }

    static func identity(
        _ certificates: String, _ key: String
    ) throws(Failure) -> LocalIdentity {
        guard let secret = try PrivateFile(path: key, isOwn: false).read() else {
            throw Failure(.store, "There is no file \(key).", advice: "--tls-key names the key's.")
        }
        let bytes: Data
        do throws(BoundedInput.Fault) {
            var input = try BoundedInput(file: certificates, limit: 1 << 20)
            bytes = try input.all()
        } catch {
            throw Failure(.store, error)
        }
        guard let text = String(validUTF8: bytes),
            let identity = try? LocalIdentity(
                certificates: text, key: String(decoding: secret, as: UTF8.self))
        else {
            throw Failure(
                .store, "\(certificates) and \(key) aren't a certificate and its key.",
                advice: "Both are PEM; the server's own certificate is the first.")
        }
        return identity
    }
}
