import PushCore
import PushTesting

extension Delta: Resolver {
    func challenge(for announcement: Announcement) async throws(PushError) -> Opened {
        var prompt = try SecretRecord(reading: announcement.context).fields["prompt"]?.string
        let id = announcement.notice.id
        if options.fetches {
            let reply = try await exchange("/open", ["c": .string(id.name)], at: id.enrollment)
            prompt = reply.body["prompt"]?.string ?? prompt
        }
        return Opened(
            Challenge(
                for: announcement.notice,
                prompt: prompt == "choose" ? .choose(DeltaWire.options) : .approve,
                verification: options.asksPIN ? [[.pin]] : [], context: announcement.context))
    }

    func prepare(_ decision: Decision) async throws(PushError) -> Answer {
        let id = decision.announcement.notice.id
        var choice = DeltaWire.choice(decision.resolution)
        if mutation == .altersDecisions, choice == "approve" { choice = "deny:altered" }
        var members: JSON.Object = ["c": .string(id.name), "choice": .string(choice)]
        let key: String
        if options.countsAnswers {
            let (number, found) = try await take("ctr", of: id.enrollment)
            members["ctr"] = .integer(number)
            key = found
        } else {
            key = try await self.key(of: id.enrollment)
        }
        for case .pin(let pin) in decision.evidence {
            members["pin"] = .string(pin.copiedText())
        }
        let text = JSON.object(members).text
        let answer: JSON = [
            "a": .string(text), "m": .string(DeltaWire.mac(text.utf8, key: key)),
        ]
        return Answer(Secret(answer.utf8), kept: Kept(options.kept, part: Self.part(of: id)))
    }

    func send(
        _ answer: Answer, for announcement: Announcement, again: Bool
    ) async throws(PushError) -> Reply {
        Reply(try await word(on: answer, for: announcement, again: again))
    }

    private func word(
        on answer: Answer, for announcement: Announcement, again: Bool
    ) async throws(PushError) -> Outcome {
        let again = again && mutation != .forgetsCopies
        let json = try answer.bytes.withBytes { (bytes) throws(PushError) in
            try JSON(parsing: bytes)
        }
        do throws(PushError) {
            let id = announcement.notice.id
            let reply = try await exchange("/answer", json.object ?? [:], at: id.enrollment)
            let said = outcome(reply.status, reply.body, choice: try choice(in: json), again)
            guard case .unknown = said else { return said }
            // The reply to the answer doesn't tell; the state of the challenge may.
            if case .over(let outcome, _) = try await status(of: announcement, kept: nil) {
                return outcome
            }
            return said
        } catch {
            if mutation == .guessesDelivery, error.code == .interrupted { return .delivered }
            if mutation == .believesStrangers, case .server(400..<500) = error.code {
                return .notTaken(.init(.other, mayRetry: true))
            }
            throw error
        }
    }

    /// What an answer leaves behind if only a part of it may be kept.
    private static func part(of id: Challenge.ID) -> Secret { Secret("part of \(id.name)".utf8) }

    private func choice(in answer: JSON) throws(PushError) -> String? {
        try JSON(parsing: answer["a"]?.string ?? "null")["choice"]?.string
    }

    private func outcome(_ status: Int, _ body: JSON, choice: String?, _ again: Bool) -> Outcome {
        let perhapsOurs = Outcome.unknown("It was answered, perhaps by this device.")
        switch (status, body["why"]?.string) {
        case (200, _): return .delivered
        case (403, "pin"): return refusal(.verification, ofAll: options.isKeptWhole)
        case (403, "busy"): return refusal(.unavailable, ofAll: false)
        case (409, "wrong"):
            let left = body["left"]?.integer.map(Int.init) ?? 0
            return refusal(
                .wrongChoice, mayRetry: left > 0, attemptsLeft: left, ofAll: true)
        case (_, "answered"):
            if let taken = body["by"]?.string {
                return taken == choice ? .delivered : .answeredElsewhere
            }
            return again ? perhapsOurs : .answeredElsewhere
        case (_, "gone"): return again ? perhapsOurs : .expired
        case (_, let why): return outcome(why ?? "")
        }
    }

    /// A refusal of what is in an answer is one of all its copies if that is in each of them: the
    /// choice always, the PIN only where they are the same bytes.
    private func refusal(
        _ why: Outcome.Refusal.Reason, mayRetry: Bool = true, attemptsLeft: Int? = nil,
        ofAll isOfAll: Bool
    ) -> Outcome {
        .notTaken(
            .init(
                why, mayRetry: mayRetry,
                appliesToAllCopies: isOfAll || mutation == .vouchesForCopies,
                attemptsLeft: attemptsLeft))
    }

    /// What became of the challenge, so of every copy of an answer.
    private func outcome(_ word: String) -> Outcome {
        switch word {
        case "taken": .delivered
        case "expired": .expired
        case "elsewhere": .answeredElsewhere
        case "failed": .notTaken(.init(.wrongChoice, mayRetry: false, appliesToAllCopies: true))
        default: .notTaken(.init(.stateChanged, mayRetry: false, appliesToAllCopies: true))
        }
    }

    func status(
        of announcement: Announcement, kept: Secret?
    ) async throws(PushError) -> Challenge.Status {
        guard options.knowsStatus, mutation != .saysNoEnd else { return .unknown }
        let id = announcement.notice.id
        if options.kept == .part, let kept, !kept.isEqualInConstantTime(to: Self.part(of: id)) {
            throw PushError(.malformed, "Another part was kept of the answer.")
        }
        let reply = try await exchange("/status", ["c": .string(id.name)], at: id.enrollment)
        switch reply.body["state"]?.string {
        case "open": return .open
        case let word?: return .over(outcome(word))
        case nil: return .unknown
        }
    }

    func pending(
        for enrollment: Enrollment.ID, after hint: Hint?
    ) async throws(PushError) -> Pending {
        guard mutation != .listsNothing else { return Pending([], isComplete: false) }
        let reply = try await exchange("/pending", [:], at: enrollment)
        let waiting = (reply.body["pending"]?.array ?? []).compactMap { claims in
            claims["c"]?.string.map {
                announcement(Challenge.ID($0, of: enrollment), claims, .fetched)
            }
        }
        return Pending(
            waiting, isComplete: options.listsCompletely && mutation != .listsIncompletely)
    }
}
