import PushCore

/// What the ledger keeps of a challenge for opening and answering it.
struct ChallengeContext: Sendable {
    /// What is asked beside a yes; `nil` until a list has said it.
    var question: UserVerification?

    /// Whether all that names user and application can be shown.
    var isShownWhole = true

    /// The answer that a same-device link has brought. Nobody but the user gives it.
    var answerFromLink: String?

    /// How many wrong numbers the realm has refused.
    private(set) var wrongChoices = 0

    /// The realm counts none, so the device does.
    private static let maximumChoices = 3

    init() {}

    fileprivate init(_ sealed: Secret) throws(PushError) {
        let record = try SecretRecord(reading: sealed)
        question = try record.fields.optional("question") { UserVerification(kept: $0) }
        isShownWhole = try record.fields.required("whole") { $0.bool }
        wrongChoices = try record.fields.required("wrong") {
            $0.integer.flatMap(Int.init(exactly:))
        }
        answerFromLink = record.secrets.first?.copiedText()
    }

    var sealed: Secret {
        var fields: JSON.Object = ["whole": .bool(isShownWhole), "wrong": .integer(wrongChoices)]
        if let question { fields["question"] = question.json }
        return SecretRecord(
            fields: fields, secrets: [answerFromLink].compactMap { $0.map { Secret(copying: $0) } }
        ).sealed
    }

    /// What the user is asked to do.
    var prompt: Challenge.Prompt {
        guard let question else { return .denyOnly("No list has said what it asks.") }
        guard isShownWhole else {
            return .denyOnly("Its user or application can't be shown whole.")
        }
        guard wrongChoices < Self.maximumChoices else {
            return .denyOnly("Too many wrong answers were given.")
        }
        return question.prompt
    }

    /// The same with what else is known of the challenge.
    ///
    /// - Throws: `PushError` with the code `untrusted` if that is another question.
    func adding(_ other: ChallengeContext) throws(PushError) -> ChallengeContext {
        var context = self
        if let asked = other.question {
            guard question == nil || question == asked && isShownWhole == other.isShownWhole else {
                throw PushError(.untrusted, "One challenge was listed with two questions.")
            }
            context.question = asked
            context.isShownWhole = other.isShownWhole
        }
        context.answerFromLink = other.answerFromLink ?? answerFromLink
        return context
    }

    /// The same after one more wrong answer.
    var afterWrongChoice: ChallengeContext {
        var context = self
        context.wrongChoices += 1
        return context
    }

    /// How many more answers may be tried.
    var choicesLeft: Int { max(0, Self.maximumChoices - wrongChoices) }
}

extension Announcement {
    /// The provider's half of it.
    var note: ChallengeContext {
        get throws(PushError) { try context(ChallengeContext.init) }
    }
}
