import Foundation
import HTTPTypes
import LocalServer
import PushCore

/// Pushes from a server that believes it talks to Apple.
actor APNsIntake: Intake {
    nonisolated let name = "apns"
    private let server: IntakeServer
    private let credentials: CredentialsDirectory
    private let endpoint: APNsEndpoint
    private var running: (server: LocalServer, queue: PushQueue)?

    init(_ server: IntakeServer, credentials: CredentialsDirectory, endpoint: APNsEndpoint) {
        var server = server
        server.requiresHTTP2 = true
        server.oversized = { request in
            APNsReason.payloadTooLarge.reply(endpoint.id(of: request), at: Date())
        }
        self.server = server
        self.credentials = credentials
        self.endpoint = endpoint
    }

    func start(_ taker: @escaping PushTaker) async throws(Failure) -> JSON.Object {
        let queue = PushQueue(taker: taker)
        let endpoint = endpoint
        let server = try await server.start { _ in
            { request, body in
                let now = Date()
                let reply = endpoint.reply(to: request, body, at: now)
                return await Self.settle(reply, queue, at: now).response
            }
        }
        running = (server, queue)
        try credentials.keep(endpoint.key, url: server.origin)
        return [
            "url": .string(server.origin), "topic": .string(endpoint.key.topic),
            "credentials": .string(credentials.path(.apns)),
        ]
    }

    /// Hands on what was accepted, or takes the acceptance back.
    static func settle(
        _ reply: IntakeReply, _ queue: PushQueue, at now: Date
    ) async -> IntakeReply {
        guard let push = reply.push else { return reply }
        do {
            try await queue.add(push)
            return reply
        } catch {
            let reason: APNsReason = error == .full ? .tooManyRequests : .shutdown
            return reason.reply(reply.headers[.apnsID] ?? "", at: now)
        }
    }

    func stop() async {
        guard let (server, queue) = running else { return }
        running = nil
        await queue.close()
        await server.stop()
    }
}
