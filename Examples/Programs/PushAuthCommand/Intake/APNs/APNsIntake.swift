import Foundation
import HTTPTypes
import LocalServer
import PushCore

/// Pushes from a server that believes it talks to Apple.
actor APNsIntake: Intake {
    nonisolated let name = "apns"
    private let server: IntakeServer
    private let credentials: CredentialsDirectory?
    private let endpoint: APNsEndpoint
    private let trust: ClientTrust
    private let chosen: @Sendable () -> String?
    private var running: (server: LocalServer, queue: PushQueue)?

    /// - Parameters:
    ///   - server: Where to listen.
    ///   - credentials: Where the key goes, and once the port is known, the URL; `nil` where senders
    ///     have them from elsewhere.
    ///   - endpoint: What answers.
    ///   - trust: Whose client certificates are taken.
    ///   - chosen: The device token that was chosen since, if any.
    init(
        _ server: IntakeServer, credentials: CredentialsDirectory?, endpoint: APNsEndpoint,
        trust: ClientTrust, chosen: @escaping @Sendable () -> String? = { nil }
    ) {
        var server = server
        server.requiresHTTP2 = true
        server.asksForCertificate = true
        server.oversized = { request in
            APNsReason.payloadTooLarge.reply(endpoint.id(of: request), at: Date())
        }
        self.server = server
        self.credentials = credentials
        self.endpoint = endpoint
        self.trust = trust
        self.chosen = chosen
    }

    func start(_ taker: @escaping PushTaker) async throws(Failure) -> JSON.Object {
        let queue = PushQueue(width: server.width, taker: taker)
        let (endpoint, trust, chosen) = (endpoint, trust, chosen)
        let server = try await server.start { _ in
            { peer in
                let connection = Connection(endpoint, peer.certificate, trust)
                return { request, body in
                    let now = Date()
                    let reply = await connection.reply(
                        to: request, body, token: chosen(), at: now)
                    if reply.isAuthorized { peer.acceptCredential() }
                    return await Self.settle(reply, queue, at: now).response
                }
            }
        }
        running = (server, queue)
        var place: JSON.Object = [
            "url": .string(server.origin), "topic": .string(endpoint.key.topic),
        ]
        if let credentials {
            try credentials.keep(endpoint.key, url: server.origin)
            place["credentials"] = .string(credentials.path(.apns))
        }
        return place
    }

    func drain() async { await running?.queue.close() }

    /// Answers the requests of one connection.
    private actor Connection {
        private let endpoint: APNsEndpoint
        private let certificate: ClientCertificate?
        private let trust: ClientTrust
        private var provider = ProviderConnection()

        init(_ endpoint: APNsEndpoint, _ certificate: ClientCertificate?, _ trust: ClientTrust) {
            self.endpoint = endpoint
            self.certificate = certificate
            self.trust = trust
        }

        /// `token` is the device token that was chosen since, if any.
        func reply(
            to request: HTTPRequest, _ body: Data, token: String?, at now: Date
        ) async -> IntakeReply {
            // Each time, as a certificate ends while a connection lasts.
            provider.certificate = await judged()
            var endpoint = endpoint
            if let token { endpoint.token = token }
            return endpoint.reply(to: request, body, over: &provider, at: now)
        }

        private func judged() async -> ProviderConnection.Certificate {
            guard let certificate else { return .none }
            guard await trust.vouches(for: certificate), let topic = certificate.userID else {
                return .untrusted
            }
            return .trusted(topic: topic)
        }
    }

    /// Hands on what was accepted, or takes the acceptance back. A push that is forged or another
    /// app's is no concern of the service.
    static func settle(
        _ reply: IntakeReply, _ queue: PushQueue, at now: Date
    ) async -> IntakeReply {
        guard let push = reply.push else { return reply }
        let reason: APNsReason
        do {
            let verdict = try await queue.take(push)
            guard verdict.mayBeSentAgain || verdict == .gone else { return reply }
            reason = verdict == .gone ? .unregistered : .serviceUnavailable
        } catch {
            reason = error == .full ? .tooManyRequests : .shutdown
        }
        return reason.reply(reply.headers[.apnsID] ?? "", at: now)
    }

    func waiting() async -> Int { await running?.queue.count ?? 0 }

    func stop() async {
        guard let (server, queue) = running else { return }
        running = nil
        await queue.close()
        await server.stop()
    }
}
