import PushCore

/// What the ledger keeps of a process: what announced it, and what a wrong try has brought.
struct ProcessNote {
    /// What the wire format announced it with.
    let announced: Secret

    /// What the next try answers; `nil` before a wrong one.
    var retry: Retry?

    /// What a wrong try has brought.
    struct Retry {
        /// The context of the request that the user saw.
        let seen: Secret
        /// What counts in place of it.
        let newest: Secret
    }

    init(announced: Secret, retry: Retry? = nil) {
        self.announced = announced
        self.retry = retry
    }

    init(reading sealed: Secret) throws(PushError) {
        let secrets = try Secret.Record(reading: sealed).secrets
        guard let announced = secrets.first, [1, 3].contains(secrets.count) else {
            throw PushError(.malformed, "What was kept of a process is damaged.")
        }
        self.announced = announced
        retry = secrets.count == 3 ? Retry(seen: secrets[1], newest: secrets[2]) : nil
    }

    var sealed: Secret {
        let tried = retry.map { [$0.seen, $0.newest] } ?? []
        return Secret.Record(fields: [:], secrets: [announced] + tried).sealed
    }

    /// The context that an answer to a request must carry.
    func context(for request: AuthenticateRequest) -> Secret {
        guard let retry, retry.seen.isEqualInConstantTime(to: request.context) else {
            return request.context
        }
        return retry.newest
    }
}

extension Announcement {
    /// The provider's half of it.
    var note: ProcessNote {
        get throws(PushError) { try context(ProcessNote.init(reading:)) }
    }

    /// The same as the wire format made it.
    var announced: Announcement {
        get throws(PushError) { Announcement(notice, context: try note.announced) }
    }
}
