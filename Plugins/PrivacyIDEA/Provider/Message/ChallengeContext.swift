import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What the ledger keeps of a challenge for opening and answering it.
struct ChallengeContext {
    /// Where the answer goes.
    var url: Endpoint

    /// The options as one text; `nil` if a yes or no is asked for.
    let presence: String?

    /// The reasons that the server has signed that it knows.
    var reasons: Set<PrivacyIDEA.DeclineReason>

    /// Whether all of title and question can be shown.
    var isShownWhole: Bool

    /// Whether the text is a push's, and not the list's.
    var isPushed: Bool

    /// When its push came, in whole seconds by the device's clock; `nil` once a list has had it.
    var pushed: Int64?

    /// How the app must be unlocked before a yes.
    let unlock: AppUnlock?

    /// How many options were chosen that the server didn't take.
    var wrongChoices = 0

    /// The server counts none, so the device does.
    static let maximumChoices = 3

    /// How long, in seconds, the server's list may lack what it has pushed: it records a challenge
    /// only once its gateway has taken the push.
    private static let recordingTime: Int64 = 30

    /// Creates one of verified fields.
    init(
        _ fields: ChallengeFields, url: Endpoint, reasons: Set<PrivacyIDEA.DeclineReason>,
        unlock: AppUnlock?, pushed: Date?
    ) {
        self.url = url
        presence = fields.presence
        self.reasons = reasons
        isShownWhole = fields.isShownWhole
        isPushed = pushed != nil
        self.pushed = pushed.map { Int64($0.timeIntervalSince1970) }
        self.unlock = unlock
    }

    fileprivate init(_ sealed: Secret) throws(PushError) {
        let fields = try Secret.Record(reading: sealed).fields
        url = try fields.required("url") { json in json.string.flatMap { try? Endpoint($0) } }
        presence = try fields.optional("presence") { $0.string }
        let reasons = try fields.required("reasons") { $0.array }
        self.reasons = Set(
            reasons.compactMap { $0.string.flatMap(PrivacyIDEA.DeclineReason.init(rawValue:)) })
        isShownWhole = try fields.required("whole") { $0.bool }
        isPushed = try fields.optional("pushed") { $0.bool } ?? true
        pushed = try fields.optional("pushed-at") { $0.integer }
        unlock = try fields.optional("unlock") { $0.string.map(AppUnlock.init(word:)) }
        wrongChoices = try fields.required("wrong") { $0.integer.flatMap(Int.init(exactly:)) }
    }

    var sealed: Secret {
        var fields: JSON.Object = [
            "url": .string(url.text), "whole": .bool(isShownWhole),
            "reasons": .array(reasons.map(\.rawValue).sorted().map(JSON.string)),
            "wrong": .number(.init(Int64(wrongChoices))), "pushed": .bool(isPushed),
        ]
        if let presence { fields["presence"] = .string(presence) }
        if let pushed { fields["pushed-at"] = .number(.init(pushed)) }
        if let unlock { fields["unlock"] = .string(unlock.rawValue) }
        return Secret.Record(fields: fields).sealed
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

    /// Whether the server may not have it on its list yet, by the device's clock.
    func mayBeUnlisted(at now: Date) -> Bool {
        guard let pushed else { return false }
        return (0..<Self.recordingTime).contains(Int64(now.timeIntervalSince1970) - pushed)
    }

    /// The same with what another announcement of the challenge brings for its answer.
    ///
    /// - Throws: `PushError` with the code `untrusted` if that one doesn't ask for the same.
    func renewed(by newer: ChallengeContext) throws(PushError) -> ChallengeContext {
        let asksTheSame =
            switch (presence, newer.presence) {
            case (nil, nil): true
            case (let one?, let other?): one.hasSameBytes(as: other)
            default: false
            }
        guard asksTheSame else {
            throw PushError(.untrusted, "One challenge was announced with two prompts.")
        }
        var context = self
        context.url = newer.url
        context.reasons = newer.reasons
        // A push that comes again makes no challenge new.
        if newer.pushed == nil { context.pushed = nil }
        return context
    }
}

extension Announcement {
    /// The provider's half of it.
    var note: ChallengeContext {
        get throws(PushError) { try context(ChallengeContext.init) }
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
