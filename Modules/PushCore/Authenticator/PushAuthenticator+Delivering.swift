extension PushAuthenticator {
    /// Sends a decision that is on record, as far as what was kept of its answer allows.
    ///
    /// - Returns: The decision that stood, and what came of it; `nil` if none stands any more.
    func deliver(
        _ id: Challenge.ID
    ) async throws(PushError) -> (resolution: Resolution, outcome: Outcome)? {
        let delivered = try await turn(of: id.enrollment) {
            () async throws(PushError) -> (resolution: Resolution, outcome: Outcome)? in
            let (row, announcement) = try await ledger.announced(id)
            switch row.state {
            case .answered(let resolution, let outcome): return (resolution, outcome)
            case .over: throw over(id)
            case .open, .decided: break
            }
            guard let decided = row.decided else { return nil }
            return (decided.resolution, try await goOn(announcement, decided))
        }
        if let delivered { publish(.outcome(id, delivered.outcome)) }
        return delivered
    }

    private func goOn(
        _ announcement: Announcement, _ decided: LedgerRow.Decided
    ) async throws(PushError) -> Outcome {
        let id = announcement.notice.id
        if decided.kept != .bytes {
            let status: Challenge.Status
            do throws(PushError) {
                status = try await provider(id.enrollment.provider).resolver
                    .status(of: announcement)
            } catch  where error.maySendAgain {
                return .unknown(error.reason)
            }
            switch status {
            case .open: break
            case .unsaid: return .unknown("The vendor can't say whether it took the answer.")
            case .over(let outcome):
                try await ledger.settle(id, decided, outcome)
                return outcome
            }
        }
        guard let answer = decided.answer else { return .verifyAgain }
        return try await exchange(announcement, decided.resolution, answer, again: true)
    }

    /// One try at sending, and the vendor's word on record if it was final.
    func exchange(
        _ announcement: Announcement, _ resolution: Resolution, _ answer: Answer, again: Bool
    ) async throws(PushError) -> Outcome {
        let id = announcement.notice.id
        let resolver = try provider(id.enrollment.provider).resolver
        do throws(PushError) {
            let outcome = try await resolver.send(answer, for: announcement, again: again)
            try await ledger.settle(id, LedgerRow.Decided(resolution, answer), outcome)
            return outcome
        } catch  where error.maySendAgain {
            return .unknown(error.reason)
        }
    }
}

extension PushError {
    /// Whether an answer that failed this way is sent again later.
    var maySendAgain: Bool {
        switch code {
        case .unreachable, .interrupted, .cancelled, .server(status: 500...),
            .server(status: 429):
            true
        default: false
        }
    }
}
