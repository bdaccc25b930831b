import PushCore
import PushTesting

extension Acme: Resolver {
    func challenge(for announcement: Announcement) async throws(PushError) -> Opened {
        let claims = try SecretRecord(reading: announcement.context).fields["claims"]
        var prompt = claims?["prompt"]?.string
        let id = announcement.notice.id
        if options.fetches {
            let reply = try await exchange("/open", ["id": .string(id.name)], at: id.enrollment)
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
        return Opened(
            Challenge(
                for: announcement.notice, prompt: asked, verification: options.verification,
                context: announcement.context))
    }

    func prepare(_ decision: Decision) async throws(PushError) -> Answer {
        let id = decision.announcement.notice.id
        var choice = AcmeWire.choice(decision.resolution)
        if options.flaw == .altersDecisions, choice == "approve" { choice = "deny:altered" }
        var members: JSON.Object = [
            "id": .string(id.name), "choice": .string(choice),
            "extras": decision.extras(as: String.self).map(JSON.string) ?? .null,
        ]
        let key: String
        if options.counts {
            let (number, found) = try await take("counter", of: id.enrollment)
            members["counter"] = .integer(number)
            key = found
        } else {
            key = try await self.key(of: id.enrollment)
        }
        for case .pin(let pin) in decision.evidence {
            members["pin"] = .string(pin.copiedText())
        }
        let answer = AcmeWire.answer(members, key: key)
        return Answer(Secret(answer.utf8), kept: Kept(options.kept, part: Self.part(of: id)))
    }

    /// What an answer leaves behind if only a part of it may be kept.
    static func part(of id: Challenge.ID) -> Secret { Secret("part of \(id.name)".utf8) }

    // MARK: What the vendor says of an answer

    func send(
        _ answer: Answer, for announcement: Announcement, again: Bool
    ) async throws(PushError) -> Reply {
        Reply(try await outcome(of: answer, for: announcement, again: again))
    }

    private func outcome(
        of answer: Answer, for announcement: Announcement, again: Bool
    ) async throws(PushError) -> Outcome {
        let json = try answer.bytes.withBytes { (bytes) throws(PushError) in
            try JSON(parsing: bytes)
        }
        var members = json.object ?? [:]
        members["again"] = .bool(again)
        let choice = try JSON(parsing: json["answer"]?.string ?? "null")["choice"]?.string
        let id = announcement.notice.id
        let (status, body) = try await exchange("/answer", members, at: id.enrollment)
        let said = try outcome(status, body, choice: choice, again)
        guard case .unknown = said else { return said }
        // The reply to the answer doesn't tell; the state of the challenge may.
        if case .over(let outcome, _) = try await self.status(of: announcement, kept: nil) {
            return outcome
        }
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
        of announcement: Announcement, kept: Secret?
    ) async throws(PushError) -> Challenge.Status {
        guard options.knowsStatus else { return .unknown }
        let id = announcement.notice.id
        if options.kept == .part, let kept, !kept.isEqualInConstantTime(to: Self.part(of: id)) {
            throw PushError(.malformed, "Another part was kept of the answer.")
        }
        let reply = try await exchange("/status", ["id": .string(id.name)], at: id.enrollment)
        switch reply.body["state"]?.string {
        case "open": return .open
        case let state?: return .over(outcome(state))
        case nil: return .unknown
        }
    }

    func pending(
        for enrollment: Enrollment.ID, after hint: Hint?
    ) async throws(PushError) -> Pending {
        let reply = try await ask("/pending", at: enrollment)
        let waiting = (reply["pending"]?.array ?? []).compactMap { claims in
            claims["id"]?.string.map {
                announcement(Challenge.ID($0, of: enrollment), claims, .fetched)
            }
        }
        return Pending(waiting, isComplete: options.listsAll)
    }
}
