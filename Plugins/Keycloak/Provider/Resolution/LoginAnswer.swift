import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// An answer: the claims of a login token. They hold no time but the challenge's end, and the realm
/// treats a copy as the same answer, so they may go out again.
///
/// They are signed when they are sent, as the request is, by the key that the realm knows then: one that
/// is changed in between must not make an answer worthless.
struct LoginAnswer {
    let claims: JSON.Object

    /// Makes an answer.
    ///
    /// - Throws: `PushError`: `invalidResolution` if the challenge asks for another kind of answer,
    ///   `unsupported` if it can only be denied.
    init(
        _ resolution: Resolution, to notice: Notice, _ prompt: Challenge.Prompt,
        from deviceID: String
    ) throws(PushError) {
        var claims: JSON.Object = [
            "cid": .string(notice.id.name), "credId": .string(notice.id.enrollment.name),
            "deviceId": .string(deviceID),
            "action": .string(resolution.isDenial ? "deny" : "approve"),
        ]
        switch (resolution, prompt) {
        case (.deny, _), (.approve, .approve): break
        case (_, .denyOnly(let why)):
            throw PushError(.unsupported, "It can only be denied: \(why)")
        case (.choose(let text), .choose(let numbers)):
            try Self.require(UserVerification.numbers(numbers).takes(text))
            claims["userVerification"] = .string(text)
        case (.enter(let text), .enter(let digits)):
            try Self.require(UserVerification.pin(digits: digits).takes(text))
            claims["userVerification"] = .string(text)
        case (.approve, _), (.choose, _), (.enter, _): try Self.require(false)
        }
        if let expiry = notice.expiry.flatMap({ Int64(exactly: $0.timeIntervalSince1970) }) {
            claims["exp"] = .integer(expiry)
        }
        self.claims = claims
    }

    private static func require(_ isAnswer: Bool) throws(PushError) {
        guard isAnswer else {
            throw PushError(.invalidResolution, "The challenge asks for another answer.")
        }
    }

    /// Reads what ``sealed`` has kept.
    init(_ answer: Answer) throws(PushError) {
        let json = try JSON(parsing: answer.bytes.withBytes { Data($0) })
        guard let claims = json.object else {
            throw PushError(.malformed, "The ledger's answer is damaged.")
        }
        self.claims = claims
    }

    /// What the ledger keeps.
    var sealed: Secret { Secret(JSON.object(claims).utf8) }

    /// The word of the realm's success, and of the state that the challenge has then.
    var word: String { isDenial ? "denied" : "approved" }

    var isDenial: Bool { claims["action"] == "deny" }
}
