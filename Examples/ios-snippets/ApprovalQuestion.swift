import PushCore

// snippet: question
/// What an approval screen shows of a challenge, and which buttons it has.
struct ApprovalQuestion: Sendable {
    /// What the user can do beside saying no.
    enum Control: Hashable, Sendable {
        case approve
        case choose([String])
        case enter(digits: Int)
        /// Nothing: it can only be denied, and the screen says so.
        case none
    }

    let control: Control

    /// All that the vendor wants shown. The user approves what is shown, so nothing is left out.
    let fields: [Challenge.Field]

    /// Whether it came in a burst: the screen then asks whether the user started this at all.
    let isSuspicious: Bool

    init(_ challenge: Challenge, burst: Int? = nil) {
        control =
            switch challenge.prompt {
            case .approve: .approve
            case .choose(let options): .choose(options)
            case .enter(let digits): .enter(digits: digits)
            // What a later version of the SDK may ask, too: never a plain yes.
            default: .none
            }
        let origin = challenge.origin
        let place = [
            ("Application", origin.application), ("From address", origin.address),
            ("With", origin.agent),
        ]
        fields =
            challenge.fields
            + place.compactMap { label, value in value.map { Challenge.Field(label, $0) } }
        isSuspicious = burst != nil
    }

    /// The answer to an entry; `nil` as long as it isn't complete.
    func answer(entering text: String) -> Resolution? {
        guard case .enter(let digits) = control, text.utf8.count == digits,
            text.utf8.allSatisfy({ 0x30...0x39 ~= $0 })
        else { return nil }
        return .enter(text)
    }
}
// end snippet

// snippet: words
/// What the user is told of an outcome. `unknown` is no failure: the SDK goes on by itself.
func words(for outcome: Outcome) -> String {
    switch outcome {
    case .delivered: "Your answer has arrived."
    case .notTaken(let refusal) where refusal.mayRetry: "That wasn't it. Try again."
    case .notTaken: "The answer wasn't taken."
    case .expired: "This request is too old."
    case .answeredElsewhere: "This was answered on another device."
    case .code(let code, _): "Type this code: \(code)"
    case .verifyAgain: "Please confirm once more."
    case .unknown: "Not confirmed yet. The app keeps trying."
    default: "This request is over."
    }
}

extension Outcome {
    /// Whether the screen stays, as the user has something to do.
    var asksAgain: Bool {
        switch self {
        case .notTaken(let refusal): refusal.mayRetry
        case .code, .verifyAgain: true
        default: false
        }
    }
}
// end snippet
