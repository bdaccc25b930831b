import PushCore

/// An answer, or the part of it that may be kept, as the core carries it.
struct PreparedAnswer {
    /// What is sent.
    let answer: Secret

    /// Whether it is only the part of the answer that may be kept.
    let isPart: Bool

    /// The context of the request that the user saw; empty for a no to what was never opened.
    let seen: Secret

    /// Whether another answer of this device may have reached the manager before, such as one with
    /// a PIN that was typed earlier.
    let isMadeAgain: Bool

    init(_ answer: Secret, seen: Secret, isMadeAgain: Bool, isPart: Bool = false) {
        self.answer = answer
        self.isPart = isPart
        self.seen = seen
        self.isMadeAgain = isMadeAgain
    }

    init(reading sealed: Secret) throws(PushError) {
        let record = try Secret.Record(reading: sealed)
        guard record.secrets.count == 2, let isMadeAgain = record.fields["again"]?.bool else {
            throw PushError(.malformed, "A kept answer is damaged.")
        }
        answer = record.secrets[0]
        isPart = record.fields["part"]?.bool ?? false
        seen = record.secrets[1]
        self.isMadeAgain = isMadeAgain
    }

    /// The same, of which only this may be kept.
    func part(_ kept: Secret) -> PreparedAnswer {
        PreparedAnswer(kept, seen: seen, isMadeAgain: isMadeAgain, isPart: true)
    }

    var sealed: Secret {
        Secret.Record(
            fields: ["again": .bool(isMadeAgain), "part": .bool(isPart)], secrets: [answer, seen]
        ).sealed
    }
}
