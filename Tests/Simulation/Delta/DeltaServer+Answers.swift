import PushCore

extension DeltaServer {
    func status(_ name: String) -> Reply {
        guard options.knowsStatus, let found = challenge(name) else { return Reply(404) }
        if isOpen(found) { return Reply(200, ["state": "open"]) }
        if options.over == .gone { return Reply(404, ["why": "gone"]) }
        return Reply(200, ["state": .string(word(found))])
    }

    func answer(
        _ json: JSON, _ index: Int, _ copy: Copy, _ transmission: UInt64
    ) -> Reply {
        let text = json["a"]?.string ?? ""
        guard let inner = try? JSON(parsing: text), let name = inner["c"]?.string,
            let choice = inner["choice"]?.string,
            DeltaWire.mac(text.utf8, key: enrolled[index].key) == json["m"]?.string,
            let found = challenge(name), found.enrollment == enrolled[index].name
        else { return Reply(404, ["why": "gone"]) }
        if copy != .first { change(name) { $0.wasCopied = true } }
        if copy == .first { compare(choice, of: found) }
        if let counter = inner["ctr"]?.integer.map(Int.init) {
            let before = enrolled[index].counters[counter]
            if let before, before != text {
                violate(.counters, "counter \(counter) of \(found.enrollment) was used twice")
            }
            enrolled[index].counters[counter] = text
        }
        let (verdict, reply) =
            isRefusedForNow(found, copy, transmission)
            ? (.refused, Reply(403, ["why": "busy"]))
            : judge(choice, found, pin: inner["pin"]?.string)
        arrivals.append(Arrival(challenge: name, choice: choice, verdict: verdict))
        checkPairs(of: name, choice)
        if let event = Tally.Event(rawValue: verdict.rawValue) { count(event) }
        changes += 1
        return reply
    }

    /// A refusal is a word on one sending, whichever copies arrive of it.
    private func isRefusedForNow(
        _ found: Asked, _ copy: Copy, _ transmission: UInt64
    ) -> Bool {
        guard !refused.contains(transmission) else { return true }
        guard options.isMoody, copy == .first, isOpen(found), isBusy() else { return false }
        refused.insert(transmission)
        return true
    }

    /// The decision is on record before its first byte leaves.
    private func compare(_ choice: String, of found: Asked) {
        guard let index = index(of: found.enrollment),
            let recorded = recorded(Challenge.ID(found.name, of: id(of: enrolled[index])))
        else {
            return violate(.writtenFirst, "\(found.name): \(choice) came, but nothing is on record")
        }
        guard recorded == choice else {
            return violate(
                .writtenFirst, "\(found.name): \(choice) came, but \(recorded) is on record")
        }
    }

    /// Two different decisions, of which the server might have taken both: the second may come only
    /// after the server has said no to the first, and that it is still open. A late copy of the
    /// first changes nothing.
    private func checkPairs(of name: String, _ choice: String) {
        let before = arrivals.dropLast().filter { $0.challenge == name }
        guard !before.contains(where: { $0.choice == choice }) else { return }
        let others = delayed.filter { $0.challenge == name && $0.choice != choice && $0.isRight }
        if let other = others.first {
            violate(.oneDecision, "\(name): \(choice), while \(other.choice) is on its way")
        }
        for earlier in before where earlier.choice != choice {
            let verdicts = before.filter { $0.choice == earlier.choice }.map(\.verdict)
            let isRefused = verdicts.contains { $0 == .wrongStillOpen || $0 == .refused }
            if !isRefused || verdicts.contains(.taken) {
                return violate(.oneDecision, "\(name): \(earlier.choice), then \(choice)")
            }
        }
    }

    private func judge(_ choice: String, _ found: Asked, pin: String?) -> (Verdict, Reply) {
        let name = found.name
        if case .taken(let first) = found.state {
            switch options.over {
            case .idempotent where first == choice: return (.takenBefore, Reply(200))
            case .idempotent, .explains:
                let reply = Reply(410, ["why": "answered", "by": .string(first)])
                return (first == choice ? .takenBefore : .over, reply)
            case .answered:
                return (
                    first == choice ? .takenBefore : .over, Reply(409, ["why": "answered"])
                )
            case .gone:
                return (first == choice ? .takenBefore : .over, Reply(404, ["why": "gone"]))
            }
        }
        guard isOpen(found) else {
            switch options.over {
            case .gone: return (.over, Reply(404, ["why": "gone"]))
            default: return (.over, Reply(410, ["why": .string(word(found))]))
            }
        }
        if pin == DeltaWire.wrongPIN { return (.wrongStillOpen, Reply(403, ["why": "pin"])) }
        if choice.hasPrefix("number:"), choice != "number:\(DeltaWire.right)" {
            let left = options.attempts - found.wrong - 1
            change(name) {
                $0.wrong += 1
                if left <= 0 { $0.state = .failed }
            }
            return (
                left > 0 ? .wrongStillOpen : .wrongForGood,
                Reply(409, ["why": "wrong", "left": .integer(left)])
            )
        }
        change(name) { $0.state = .taken(choice) }
        return (.taken, Reply(200))
    }

    private func word(_ challenge: Asked) -> String {
        switch challenge.state {
        case .open: hasExpired(challenge) ? "expired" : "open"
        case .taken: "taken"
        case .cancelled: "cancelled"
        case .elsewhere: "elsewhere"
        case .failed: "failed"
        }
    }
}
