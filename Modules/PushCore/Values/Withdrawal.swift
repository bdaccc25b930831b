#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Says that a challenge is over.
public struct Withdrawal: Hashable, Sendable {
    /// Why a challenge is over.
    @nonexhaustive
    public enum Reason: String, Hashable, Sendable {
        /// It was answered on another device.
        case elsewhere
        /// The vendor or the relying party took it back.
        case cancelled
        /// It was completed.
        case finished
        /// Its time ran out.
        case expired
        /// The vendor doesn't say.
        case unknown
    }

    /// The challenge.
    public let id: Challenge.ID

    /// Why.
    public let reason: Reason

    /// Whether the vendor allows the app to drop it silently.
    public let isIgnorable: Bool

    /// The moment after which the challenge can't come any more, by the vendor's clock; `nil` if the
    /// vendor doesn't say. A withdrawal that comes before its challenge is remembered until then.
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
