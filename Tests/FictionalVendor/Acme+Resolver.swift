import PushCore
import PushTesting

extension Acme: Resolver {
    func challenge(
        for announcement: inout Announcement, of account: Account
    ) async throws(PushError) -> Challenge {
        let claims = try Secret.Record(reading: announcement.context).fields["claims"]
        var prompt = claims?["prompt"]?.string
        let id = announcement.notice.id
        if options.fetches {
            let reply = try await exchange("/open", ["id": .string(id.name)], of: account)
            prompt = reply.body["prompt"]?.string ?? prompt
        }
        let asked: Challenge.Prompt =
            switch prompt {
            case "approve": .approve
            case "choose": .choose(AcmeWire.numbers)
            // Of two digits, unless the prompt says how many, such as `enter6`.
            case let text? where text.hasPrefix("enter"):
                .enter(digits: Int(text.dropFirst(5)) ?? 2)
            default: .denyOnly("an unknown prompt")
            }
        return Challenge(
            for: announcement.notice, prompt: asked, verification: options.verification,
            context: announcement.context)
    }

    func prepare(_ decision: Decision, of account: Account) async throws(PushError) -> Signing {
        let id = decision.announcement.notice.id
        var choice = AcmeWire.choice(decision.resolution)
        if options.flaw == .altersDecisions, choice == "approve" { choice = "deny:altered" }
        var members: JSON.Object = [
            "id": .string(id.name), "choice": .string(choice),
            "extras": decision.extras(as: String.self).map(JSON.string) ?? .null,
        ]
        for case .pin(let pin) in decision.evidence {
            members["pin"] = .string(pin.copiedText())
        }
        let (unsigned, kept) = (members, Answer.Kept(options.kept, part: Self.part(of: id)))
        guard options.counts else {
            return Signing(try Self.signed(unsigned, by: account.credential(), kept: kept))
        }
        guard options.flaw != .forgetsCounters else {
            var record: Secret.Record = try account.credential()
            return Signing(try Self.counted(unsigned, by: &record, kept: kept))
        }
        return Signing { (record: inout Secret.Record, _) throws(PushError) in
            try Self.counted(unsigned, by: &record, kept: kept)
        }
    }

    private static func counted(
        _ members: JSON.Object, by record: inout Secret.Record, kept: Answer.Kept
    ) throws(PushError) -> Answer {
        var members = members
        members["counter"] = .integer(take("counter", of: &record))
        return try signed(members, by: record, kept: kept)
    }

    private static func signed(
        _ members: JSON.Object, by record: Secret.Record, kept: Answer.Kept
    ) throws(PushError) -> Answer {
        Answer(Secret(AcmeWire.answer(members, key: try key(in: record)).utf8), kept: kept)
    }

    /// What an answer leaves behind if only a part of it may be kept.
    static func part(of id: Challenge.ID) -> Secret { Secret("part of \(id.name)".utf8) }

    // MARK: What the vendor says of an answer

    func send(
        _ answer: Answer, for announcement: inout Announcement, of account: Account, again: Bool
    ) async throws(PushError) -> Outcome {
        let json = try answer.bytes.withBytes { (bytes) throws(PushError) in
            try JSON(parsing: bytes)
        }
        var members = json.object ?? [:]
        members["again"] = .bool(again)
        let choice = try JSON(parsing: json["answer"]?.string ?? "null")["choice"]?.string
        let (status, body) = try await exchange("/answer", members, of: account)
        let said = try outcome(status, body, choice: choice, again)
        guard case .unknown = said else { return said }
        // The reply to the answer doesn't tell; the state of the challenge may.
        let now = try await self.status(for: &announcement, of: account, kept: nil)
        if case .over(let outcome) = now { return outcome }
        return said
    }

    private func outcome(
        _ status: Int, _ body: JSON, choice: String?, _ again: Bool
    ) throws(PushError) -> Outcome {
        let perhapsOurs = Outcome.unknown("It was answered, perhaps by this device.")
        switch (status, body["why"]?.string) {
        case (200, _): return .delivered
        case (_, "pin"): return refusal(.verification, body, status: status)
        case (_, "busy"): return refusal(.unavailable, body)
        case (_, "wrong"): return refusal(.wrongChoice, body)
        case (_, "answered"):
            if let taken = body["by"]?.string {
                return taken == choice ? .delivered : .answeredElsewhere
            }
            return again ? perhapsOurs : .answeredElsewhere
        case (_, "gone"): return again ? perhapsOurs : .expired
        case (_, let state?): return outcome(state)
        case (_, nil): throw PushError(.server(status: status), "Acme can't say.")
        }
    }

    private func refusal(
        _ why: Outcome.Refusal.Reason, _ body: JSON, status: Int? = nil
    ) -> Outcome {
        .notTaken(
            .init(
                why, mayRetry: body["retry"]?.bool ?? false,
                appliesToAllCopies: body["untaken"]?.bool ?? false,
                attemptsLeft: body["left"]?.integer.map(Int.init), status: status))
    }

    /// What became of the challenge, so of every copy of an answer.
    private func outcome(_ state: String) -> Outcome {
        switch state {
        case "taken": .delivered
        case "expired": .expired
        case "elsewhere": .answeredElsewhere
        case "failed": .notTaken(.init(.wrongChoice, mayRetry: false, appliesToAllCopies: true))
        default: .notTaken(.init(.stateChanged, mayRetry: false, appliesToAllCopies: true))
        }
    }

    // MARK: What the vendor says when it is asked

    func status(
        for announcement: inout Announcement, of account: Account, kept: Secret?
    ) async throws(PushError) -> Challenge.Status {
        guard options.knowsStatus else { return .unknown }
        let id = announcement.notice.id
        if options.kept == .part, let kept, !kept.isEqualInConstantTime(to: Self.part(of: id)) {
            throw PushError(.malformed, "Another part was kept of the answer.")
        }
        let reply = try await exchange("/status", ["id": .string(id.name)], of: account)
        switch reply.body["state"]?.string {
        case "open": return .open
        case let state?: return .over(outcome(state))
        case nil: return .unknown
        }
    }

    func pending(
        of account: Account, after hint: PushEvent.Hint?
    ) async throws(PushError) -> Pending {
        let reply = try await ask("/pending", of: account)
        let waiting = (reply["pending"]?.array ?? []).compactMap { claims in
            claims["id"]?.string.map {
                announcement(Challenge.ID($0, of: account.id), claims, .fetched)
            }
        }
        return Pending(waiting, isComplete: options.listsAll)
    }
}
