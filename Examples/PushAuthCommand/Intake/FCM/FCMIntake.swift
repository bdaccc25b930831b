import Foundation
import HTTPTypes
import LocalServer
import PushCore

/// Pushes from a server that believes it talks to Google.
actor FCMIntake: Intake {
    nonisolated let name = "fcm"
    private let server: IntakeServer
    private let credentials: CredentialsDirectory
    private let account: ServiceAccount
    private let token: String
    private let random: any RandomSource
    private let chosen: @Sendable () -> String?
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
        var server = server
        server.oversized = { _ in FCMRefusal.tooLarge.reply }
        self.server = server
        self.credentials = credentials
        self.account = account
        self.token = token
        self.random = random
        self.chosen = chosen
    }

    func start(_ taker: @escaping PushTaker) async throws(Failure) -> JSON.Object {
        let queue = PushQueue(taker: taker)
        let (account, token, random, chosen) = (account, token, random, chosen)
        let server = try await server.start { origin in
            let endpoint = FCMEndpoint(account, at: origin, token: token, random: random)
            return { _ in
                { request, body in
                    var endpoint = endpoint
                    if let token = chosen() { endpoint.token = token }
                    let reply = endpoint.reply(to: request, body, at: Date())
                    return await Self.settle(reply, queue).response
                }
            }
        }
        running = (server, queue)
        try credentials.keep(account, tokenURL: FCMEndpoint.tokenURL(at: server.origin))
        return [
            "url": .string("\(server.origin)/v1/projects/\(account.project)/messages:send"),
            "project": .string(account.project), "fid": .string(FCMToken.installation(of: token)),
            "credentials": .string(credentials.path(.serviceAccount)),
        ]
    }

    /// Hands on what was accepted, or takes the acceptance back. A push that is forged or another
    /// app's is no concern of the service.
    static func settle(_ reply: IntakeReply, _ queue: PushQueue) async -> IntakeReply {
        guard let push = reply.push else { return reply }
        do {
            let verdict = try await queue.take(push)
            return verdict.mayBeSentAgain ? FCMRefusal.notKept.reply : reply
        } catch {
            return error == .full ? FCMRefusal.quotaExceeded.reply : FCMRefusal.ending.reply
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
