import Foundation
import HTTPTypes
import LocalServer
import PushCore

/// Pushes from a server that believes it talks to Google.
actor FCMIntake: Intake {
    nonisolated let name = "fcm"
    private let server: IntakeServer
    private let chosen: @Sendable () -> String?

    /// Whether other processes of a fleet take the same pushes.
    private let hasOthers: Bool
    private let endpoint: @Sendable (_ origin: String) -> FCMEndpoint
    private let publish: @Sendable (_ origin: String) throws(Failure) -> JSON.Object
    private var running: (server: LocalServer, queue: PushQueue)?

    /// - Parameters:
    ///   - server: Where to listen.
    ///   - credentials: Where the key file goes, once the port is known.
    ///   - account: Who may send.
    ///   - token: The device token of this device.
    ///   - random: Where its tokens come from.
    ///   - chosen: The one that was chosen since, if any.
    init(
        _ server: IntakeServer, credentials: CredentialsDirectory, account: ServiceAccount,
        token: String, random: any RandomSource, chosen: @escaping @Sendable () -> String? = { nil }
    ) {
        self.server = Self.refusing(server)
        self.chosen = chosen
        hasOthers = false
        endpoint = { FCMEndpoint(account, at: $0, token: token, random: random) }
        publish = { (origin) throws(Failure) in
            try credentials.keep(account, tokenURL: FCMEndpoint.tokenURL(at: origin))
            return [
                "url": .string("\(origin)/v1/projects/\(account.project)/messages:send"),
                "project": .string(account.project),
                "fid": .string(FCMToken.installation(of: token)),
                "credentials": .string(credentials.path(.serviceAccount)),
            ]
        }
    }

    /// An intake of a fleet, for all its devices.
    init(_ server: IntakeServer, of setup: FleetSetup, random: any RandomSource) {
        self.server = Self.refusing(server)
        chosen = { nil }
        hasOthers = true
        endpoint = { _ in FCMEndpoint(setup, random: random) }
        publish = { origin in
            let project = setup.account.project
            return [
                "url": .string("\(origin)/v1/projects/\(project)/messages:send"),
                "project": .string(project),
            ]
        }
    }

    private static func refusing(_ server: IntakeServer) -> IntakeServer {
        var server = server
        server.oversized = { _ in FCMRefusal.tooLarge.reply }
        return server
    }

    func start(_ taker: @escaping PushTaker) async throws(Failure) -> JSON.Object {
        let queue = PushQueue(width: server.width, taker: taker)
        let (make, chosen, hasOthers) = (endpoint, chosen, hasOthers)
        let server = try await server.start { origin in
            let endpoint = make(origin)
            return { peer in
                { request, body in
                    var endpoint = endpoint
                    if let token = chosen() { endpoint.token = token }
                    let reply = endpoint.reply(to: request, body, at: Date())
                    if reply.isAuthorized { peer.acceptCredential() }
                    return await Self.settle(reply, queue, hasOthers: hasOthers).response
                }
            }
        }
        running = (server, queue)
        return try publish(server.origin)
    }

    func drain() async { await running?.queue.close() }

    /// Hands on what was accepted, or takes the acceptance back. A push that is forged or another
    /// app's is no concern of the service.
    static func settle(
        _ reply: IntakeReply, _ queue: PushQueue, hasOthers: Bool = false
    ) async -> IntakeReply {
        guard let push = reply.push else { return reply }
        do {
            let verdict = try await queue.take(push)
            if verdict == .gone { return FCMRefusal.unregistered.reply }
            return verdict.mayBeSentAgain ? FCMRefusal.notKept.reply : reply
        } catch {
            return error == .full
                ? FCMRefusal.quotaExceeded.reply : FCMRefusal.ending(hasOthers: hasOthers).reply
        }
    }

    func waiting() async -> Int { await running?.queue.count ?? 0 }

    func stop() async {
        guard let (server, queue) = running else { return }
        running = nil
        await queue.close()
        await server.stop()
    }
}
