import PushCore
import PushJOSE

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What an answer says, under PlusAuth's names.
enum AnswerClaims {
    private static let maximumAge = 120.0

    /// The documented claims.
    ///
    /// - Throws: `PushError` with the code `invalidResolution` if the push asks for another kind of
    ///   answer.
    static func documented(
        _ resolution: Resolution, for kind: PushContext.Kind
    ) throws(PushError) -> JSON.Object {
        switch (resolution, kind) {
        case (.approve, .prompt):
            ["response": "accepted"]
        case (.choose(let value), .code(let values)) where values.contains(where: value.isExactly):
            ["selected_value": .string(value)]
        case (.deny(let reason), .prompt):
            ["response": "rejected", "reject_reason": .string(word(for: reason))]
        // The documentation shows no other form of a declined code.
        case (.deny(let reason), .code):
            ["reject_reason": .string(word(for: reason))]
        case (.approve, _), (.choose, _), (.enter, _), (.deny, .other):
            throw PushError(.invalidResolution, "The push asks for another kind of answer.")
        }
    }

    /// What binds an answer to a time, and makes it one of a kind: without them the documented
    /// claims alone could be played back for ever.
    static func binding(
        until expiry: Date, now: Date, from random: any RandomSource
    ) -> JSON.Object {
        let issued = now.timeIntervalSince1970.rounded(.down)
        let end = min(issued + maximumAge, expiry.timeIntervalSince1970)
        return [
            "iat": .integer(Int64(issued)), "exp": .integer(Int64(end)),
            "jti": .string(random.uuid().lowercased()),
        ]
    }

    /// When an answer of ours ends; `nil` if it says nothing of times. Its signature is ours, and
    /// the key may be locked by now.
    static func expiry(of answer: Answer) -> Date? {
        guard let body = try? JSON(parsing: answer.bytes.withBytes { Data($0) }),
            let token = body["context"]?.string, let jws = try? UnverifiedJWS(parsing: token),
            let seconds = (try? JSON(parsing: jws.unverifiedPayload))?["exp"]?.double
        else { return nil }
        return Date(timeIntervalSince1970: seconds)
    }

    /// Only the user's own word for an attack is one: a plain no isn't.
    private static func word(for reason: DenyReason) -> String {
        switch reason {
        case .fraud: "fraud_suspicion"
        case .unexpected, .ignore, .custom: "ignore"
        }
    }
}

extension String {
    /// Whether two texts have the same bytes, which is what PlusAuth compares.
    fileprivate func isExactly(_ other: String) -> Bool {
        utf8.elementsEqual(other.utf8)
    }
}
