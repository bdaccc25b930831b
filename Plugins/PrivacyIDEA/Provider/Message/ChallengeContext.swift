import PushCore

/// What the ledger keeps of a challenge for opening and answering it.
struct ChallengeContext {
    /// Where the answer goes.
    var url: Endpoint

    /// The options as one text; `nil` if a yes or no is asked for.
    let presence: String?

    /// The reasons that the server has signed that it knows.
    var reasons: Set<PrivacyIDEA.DeclineReason>

    /// Whether all of title and question can be shown.
    let isShownWhole: Bool

    /// How the app must be unlocked before a yes.
    let unlock: AppUnlock?

    /// How many options were chosen that the server didn't take.
    var wrongChoices = 0

    /// The server counts none, so the device does.
    static let maximumChoices = 3

    init(
        url: Endpoint, presence: String?, reasons: Set<PrivacyIDEA.DeclineReason>,
        isShownWhole: Bool,
        unlock: AppUnlock?
    ) {
        self.url = url
        self.presence = presence
        self.reasons = reasons
        self.isShownWhole = isShownWhole
        self.unlock = unlock
    }

    init(_ sealed: Secret) throws(PushError) {
        let fields = try SecretRecord(reading: sealed).fields
        guard let text = fields["url"]?.string, let url = try? Endpoint(text),
            let isShownWhole = fields["whole"]?.bool,
            let wrong = fields["wrong"]?.integer.flatMap(Int.init(exactly:))
        else { throw PushError(.malformed, "The context of a challenge is damaged.") }
        let reasons = fields["reasons"]?.array?.compactMap(\.string) ?? []
        self.init(
            url: url, presence: fields["presence"]?.string,
            reasons: Set(reasons.compactMap(PrivacyIDEA.DeclineReason.init(rawValue:))),
            isShownWhole: isShownWhole,
            unlock: fields["unlock"]?.string.map(AppUnlock.init(word:)))
        wrongChoices = wrong
    }

    var sealed: Secret {
        var fields: JSON.Object = [
            "url": .string(url.text), "whole": .bool(isShownWhole),
            "reasons": .array(reasons.map(\.rawValue).sorted().map(JSON.string)),
            "wrong": .number(.init(Int64(wrongChoices))),
        ]
        if let presence { fields["presence"] = .string(presence) }
        if let unlock { fields["unlock"] = .string(unlock.rawValue) }
        return SecretRecord(fields: fields).sealed
    }

    /// The options, exact to the byte; `nil` if there are none to choose from.
    var options: [String]? {
        presence.map { text in
            text.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
                .map { String(decoding: $0, as: UTF8.self) }
        }
    }

    /// What the user is asked to do. Options without a real choice let nobody confirm anything.
    var prompt: Challenge.Prompt {
        guard isShownWhole else { return .denyOnly("Its text can't be shown whole.") }
        guard let options else { return .approve }
        guard options.count > 1 else { return .denyOnly("It has one option.") }
        guard !options.contains("") else { return .denyOnly("One of its options is empty.") }
        guard Set(options.map { Array($0.utf8) }).count == options.count else {
            return .denyOnly("Two of its options are alike.")
        }
        guard wrongChoices < Self.maximumChoices else {
            return .denyOnly("Too many of its options were tried.")
        }
        return .choose(options)
    }

    /// Whether another announcement of the challenge asks for the same.
    func asksTheSame(as other: ChallengeContext) -> Bool {
        presence.map { Array($0.utf8) } == other.presence.map { Array($0.utf8) }
    }
}

/// How the app must be unlocked before a yes. It's the client's own promise: no server can see it.
enum AppUnlock: String, Sendable {
    /// Either way.
    case any
    /// By biometry.
    case biometric
    /// By the app's PIN, or the device's passcode.
    case pin

    /// A word that isn't known asks for any way.
    init(word: String) { self = AppUnlock(rawValue: word) ?? .any }

    /// The alternatives that satisfy it.
    var factors: [[Factor]] {
        switch self {
        case .any: [[.biometry], [.deviceCredential], [.pin]]
        case .biometric: [[.biometry]]
        case .pin: [[.deviceCredential], [.pin]]
        }
    }
}
