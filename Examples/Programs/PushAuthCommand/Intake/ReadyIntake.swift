import HTTPTypes
import LocalServer
import PushCore

/// An address at which nothing is but `/ready`, for a balancer's checks; no push comes in here.
actor ReadyIntake: Intake {
    nonisolated let name = "ready"
    private let server: IntakeServer
    private var running: LocalServer?

    init(_ server: IntakeServer) {
        self.server = server
    }

    func start(_ taker: @escaping PushTaker) async throws(Failure) -> JSON.Object {
        let server = try await server.start { _ in
            { _ in
                { _, _ in
                    IntakeReply(status: .notFound, body: ["error": "the path is /ready"]).response
                }
            }
        }
        running = server
        return ["url": .string(server.origin + "/ready")]
    }

    func stop() async {
        await running?.stop()
        running = nil
    }
}
