#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The news that a challenge is over.
public struct Withdrawal: Hashable, Sendable {
    /// Why a challenge is over.
    public typealias Reason = WithdrawalReason

    /// The challenge.
    public let id: Challenge.ID

    /// Why the challenge is over.
    public let reason: Reason

    /// Whether the vendor lets the app drop it silently.
    public let isIgnorable: Bool

    /// When the challenge can't come any more, by the vendor's clock, if the vendor says so. A
    /// withdrawal that comes before its challenge is remembered until then.
    public let expiry: Date?

    /// Creates a withdrawal.
    public init(
        _ id: Challenge.ID, _ reason: Reason, isIgnorable: Bool = false, expiry: Date? = nil
    ) {
        self.id = id
        self.reason = reason
        self.isIgnorable = isIgnorable
        self.expiry = expiry
    }
}

extension Withdrawal: JSONConvertible {
    init(json: JSON) throws(PushError) {
        let members = try json.members()
        self.init(
            try members.required("id") { (json) throws(PushError) in try Challenge.ID(json: json) },
            try members.required("reason") { $0.string.flatMap(Reason.init(rawValue:)) },
            isIgnorable: try members.required("ignorable") { $0.bool },
            expiry: try members.optional("expiry") { $0.date })
    }

    var json: JSON {
        [
            "id": id.json, "reason": .string(reason.rawValue), "ignorable": .bool(isIgnorable),
            "expiry": expiry.map { JSON($0) } ?? .null,
        ]
    }
}
