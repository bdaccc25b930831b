import PushCore

/// The requests behind commands of unknown content: only executing such a command tells its request.
///
/// Anyone can send such a command, so each costs the server one question, whichever enrollments it
/// may have been for, and however many of them ask at once. What is kept is a cache: a command that
/// it doesn't have is asked about again.
actor HintedRequests {
    /// A request that a command of unknown content led to.
    struct Request: Sendable {
        let id: Challenge.ID
        let request: OneSpanRequest
    }

    private enum Lead {
        case request(Challenge.ID)
        /// To a request that is over, and stays so.
        case over
        /// To nothing that can be told yet: why, and when the question began, by the monotonic clock.
        case failed(OrchestrationError, at: Duration)
    }

    private typealias Question = Task<Result<Request?, OrchestrationError>, Never>

    private let driver: FlowDriver
    private let fetcher: RequestFetcher
    private let provider: ProviderID
    private let clock: any PushClock
    private var leads: [OrchestrationCommand: Lead] = [:]
    /// The questions that are under way, for all who wait for them.
    private var asking: [OrchestrationCommand: Question] = [:]

    /// How long a question that failed isn't asked again: a push leads every enrollment to it.
    private static let pauseAfterFailure = Duration.seconds(3)

    init(
        _ driver: FlowDriver, _ fetcher: RequestFetcher, _ provider: ProviderID,
        _ clock: any PushClock
    ) {
        self.driver = driver
        self.fetcher = fetcher
        self.provider = provider
        self.clock = clock
    }

    /// Drops everything that is kept, as may happen at any moment.
    func dropCaches() { leads.removeAll() }

    /// Executes a command; one that was executed before leads to the same request while that is open.
    ///
    /// - Returns: The request; `nil` if it is no longer pending.
    func request(
        of trigger: OrchestrationCommand
    ) async throws(OrchestrationError) -> Request? {
        switch leads[trigger] {
        case .over?: return nil
        case .request(let id)?:
            if let known = await driver.known(id), let request = known.request {
                return Request(id: id, request: request)
            }
        case .failed(let error, let began)?:
            let passed = clock.elapsed - began
            guard passed >= Self.pauseAfterFailure || passed < .zero else { throw error }
        case nil: break
        }
        return try await (asking[trigger] ?? ask(trigger)).value.get()
    }

    private func ask(_ trigger: OrchestrationCommand) -> Question {
        let began = clock.elapsed
        let question = Question {
            let found = await Result(workflow: { () async throws(OrchestrationError) in
                try await self.fetch(trigger)
            })
            switch found {
            case .success(let found?): self.remember(.request(found.id), of: trigger)
            case .success(nil): self.remember(.over, of: trigger)
            case .failure(let error): self.remember(.failed(error, at: began), of: trigger)
            }
            self.asking[trigger] = nil
            return found
        }
        asking[trigger] = question
        return question
    }

    private func fetch(
        _ trigger: OrchestrationCommand
    ) async throws(OrchestrationError) -> Request? {
        guard
            case .open(let flow, let request) = try await fetcher.fetch(trigger, for: nil)
        else { return nil }
        let id = Challenge.ID(request.requestID, of: Enrollment.ID(request.deviceID, of: provider))
        await driver.keepUnlessKnown(
            OpenRequest(id: id, kind: request.kind, flow: flow, request: request))
        return Request(id: id, request: request)
    }

    private func remember(_ lead: Lead, of trigger: OrchestrationCommand) {
        if leads.count >= 32 { leads.removeAll() }
        leads[trigger] = lead
    }
}
