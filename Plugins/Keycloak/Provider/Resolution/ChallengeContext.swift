import PushCore

/// What the ledger keeps of a challenge for opening and answering it.
struct ChallengeContext: Sendable {
    /// What is asked beside a yes; `nil` until a list has said it.
    var question: UserVerification?

    /// Whether all that names user and application can be seen.
    var isShownWhole = true

    /// Whether its push was of a kind that isn't known here. A list doesn't tell.
    var isNewer = false

    /// How many wrong numbers the realm has refused.
    private(set) var wrongChoices = 0

    /// The realm counts none, so the device does. One of three numbers is soon guessed.
    private var maximumChoices: Int {
        if case .numbers = question { 1 } else { 3 }
    }

    init() {}

    fileprivate init(_ sealed: Secret) throws(PushError) {
        let fields = try Secret.Record(reading: sealed).fields
        question = try fields.optional("question") { UserVerification(kept: $0) }
        isShownWhole = try fields.required("whole") { $0.bool }
        isNewer = try fields.optional("newer") { $0.bool } ?? false
        wrongChoices = try fields.required("wrong") { $0.integer.flatMap(Int.init(exactly:)) }
    }

    var sealed: Secret {
        var fields: JSON.Object = ["whole": .bool(isShownWhole), "wrong": .integer(wrongChoices)]
        if let question { fields["question"] = question.json }
        if isNewer { fields["newer"] = true }
        return Secret.Record(fields: fields).sealed
    }

    /// What the user is asked to do.
    var prompt: Challenge.Prompt {
        guard let question else { return .denyOnly("No list has said what it asks.") }
        guard !isNewer else { return .denyOnly("It is of a kind that this version doesn't know.") }
        guard isShownWhole else {
            return .denyOnly("Its user or application is missing, or can't be shown whole.")
        }
        guard choicesLeft > 0 else {
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
        context.isNewer = isNewer || other.isNewer
        return context
    }

    /// The same after one more wrong answer.
    var afterWrongChoice: ChallengeContext {
        var context = self
        context.wrongChoices += 1
        return context
    }

    /// How many more answers may be tried.
    var choicesLeft: Int { max(0, maximumChoices - wrongChoices) }
}

extension Announcement {
    /// The provider's half of it.
    var note: ChallengeContext {
        get throws(PushError) { try context(ChallengeContext.init) }
    }
}
