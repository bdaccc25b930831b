import HTTPTypes
import LocalServer
import PushCore

/// Whether this process can take pushes, for a balancer that asks.
actor Readiness {
    /// For how long the store's last answer counts.
    private static let freshness = Duration.seconds(1)

    /// For how long the store may take; it goes on trying longer than a balancer waits.
    private static let patience = Duration.seconds(2)

    private let probe: @Sendable () async throws -> Void
    private let hanging: @Sendable () async -> [String]
    private var lastAnswer: ContinuousClock.Instant?
    private var probing: Task<Bool, Never>?
    private var isClosing = false

    /// - Parameters:
    ///   - probe: Reads something from the store.
    ///   - hanging: The vendors' servers that don't answer.
    init(
        _ probe: @escaping @Sendable () async throws -> Void,
        hanging: @escaping @Sendable () async -> [String] = { [] }
    ) {
        self.probe = probe
        self.hanging = hanging
    }

    /// From now on it isn't ready.
    func close() {
        isClosing = true
    }

    /// What `GET /ready` gets. A vendor that hangs, and connections that are nearly too many, are named
    /// where pushes can be put on record all the same.
    ///
    /// - Parameter load: How many connections there are, where that is known.
    /// - Returns: The reply.
    func reply(_ load: ConnectionLoad? = nil) async -> IntakeReply {
        let isReady = await isReady()
        var body: JSON.Object = ["ready": .bool(isReady && !isClosing)]
        if isClosing { body["why"] = "ending" } else if !isReady { body["why"] = "store" }
        let hanging = await hanging()
        if !hanging.isEmpty { body["hanging"] = .array(hanging.map(JSON.string)) }
        if let load, load.isNearLimit {
            body["connections"] = .number(.init(Int64(load.open)))
        }
        return IntakeReply(
            status: isReady && !isClosing ? .ok : .serviceUnavailable, body: .object(body))
    }

    private func isReady() async -> Bool {
        if let lastAnswer, lastAnswer.duration(to: .now) < Self.freshness { return true }
        let probing = probing ?? begin()
        let (answers, source) = AsyncStream<Bool>.makeStream()
        Task { source.yield(await probing.value) }
        let limit = Task {
            try? await Task.sleep(for: Self.patience)
            source.yield(false)
        }
        defer { limit.cancel() }
        for await answer in answers { return answer }
        return false
    }

    private func begin() -> Task<Bool, Never> {
        let task = Task {
            let isThere: Bool
            do {
                try await probe()
                isThere = true
            } catch {
                isThere = false
            }
            if isThere { lastAnswer = .now }
            probing = nil
            return isThere
        }
        probing = task
        return task
    }
}
