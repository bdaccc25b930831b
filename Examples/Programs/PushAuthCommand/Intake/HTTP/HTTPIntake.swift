import Foundation
import HTTPTypes
import LocalServer
import PushCore

/// Pushes over HTTP from whoever knows a secret; the reply says what was made of each.
actor HTTPIntake: Intake {
    nonisolated let name = "http"
    private let server: IntakeServer
    private let endpoint: HTTPEndpoint
    private var running: (server: LocalServer, queue: PushQueue)?

    /// - Parameters:
    ///   - server: Where to listen.
    ///   - secret: What senders must know.
    ///   - fleet: The tokens of a fleet's devices; `nil` where there is one device.
    init(_ server: IntakeServer, secret: Secret, fleet: FleetTokens? = nil) {
        self.server = server
        endpoint = HTTPEndpoint(secret: secret, fleet: fleet)
    }

    func start(_ taker: @escaping PushTaker) async throws(Failure) -> JSON.Object {
        let queue = PushQueue(width: server.width, taker: taker)
        let endpoint = endpoint
        let server = try await server.start { _ in
            { peer in
                { request, body in
                    let step = endpoint.step(for: request, body)
                    if step.isAuthorized { peer.acceptCredential() }
                    return await Self.reply(step, queue).response
                }
            }
        }
        running = (server, queue)
        return ["url": .string(server.origin + "/push")]
    }

    private static func reply(_ step: HTTPEndpoint.Step, _ queue: PushQueue) async -> IntakeReply {
        switch step {
        case .refuse(let reply): return reply
        case .take(let push):
            do {
                return HTTPEndpoint.reply(try await queue.take(QueuedPush(push: push)))
            } catch {
                return HTTPEndpoint.refusal(.serviceUnavailable, "too much is going on")
            }
        }
    }

    func waiting() async -> Int { await running?.queue.count ?? 0 }

    func drain() async { await running?.queue.close() }

    func stop() async {
        guard let (server, queue) = running else { return }
        running = nil
        await queue.close()
        await server.stop()
    }
}
