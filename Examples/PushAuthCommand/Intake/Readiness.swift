import HTTPTypes
import PushCore

/// Whether this process can take pushes, for a balancer that asks.
actor Readiness {
    /// For how long the store's last answer counts.
    private static let freshness = Duration.seconds(1)

    /// For how long the store may take; it goes on trying longer than a balancer waits.
    private static let patience = Duration.seconds(2)

    private let probe: @Sendable () async throws -> Void
    private var lastAnswer: ContinuousClock.Instant?
    private var probing: Task<Bool, Never>?
    private var isClosing = false

    /// - Parameter probe: Reads something from the store.
    init(_ probe: @escaping @Sendable () async throws -> Void) {
        self.probe = probe
    }

    /// From now on it isn't ready.
    func close() {
        isClosing = true
    }

    /// What `GET /ready` gets.
    func reply() async -> IntakeReply {
        let isReady = await isReady()
        if isClosing {
            return IntakeReply(
                status: .serviceUnavailable, body: ["ready": false, "why": "ending"])
        }
        return isReady
            ? IntakeReply(status: .ok, body: ["ready": true])
            : IntakeReply(status: .serviceUnavailable, body: ["ready": false, "why": "store"])
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
