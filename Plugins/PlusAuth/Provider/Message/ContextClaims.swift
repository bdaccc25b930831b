import Crypto
import PushCore
import PushJOSE

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The claims of a context whose signature held: the ones without which nothing can be asked.
struct ContextClaims: Sendable {
    /// `exp`.
    let expiry: Date

    /// `iat`.
    let issued: Date

    /// `nbf`; `nil` if it's absent.
    let begin: Date?

    /// `context_token`.
    let token: String

    /// `type`, as it was sent.
    let type: String

    /// All claims.
    let all: JSON.Object

    /// What only an answer of ours has: one that is played back is no challenge.
    private static let answerMembers = ["response", "selected_value", "reject_reason"]
    private static let maximumAge = 86_400.0

    /// Reads the payload of a verified context.
    ///
    /// - Throws: `PushError` with the code `malformed`; the reason names the claim.
    init(parsing payload: UnsafeRawBufferPointer) throws(PushError) {
        guard let claims = try JSON(parsing: payload).object else {
            throw PushError(.malformed, "The context's payload isn't a JSON object.")
        }
        for name in Self.answerMembers where claims[name] != nil {
            throw PushError(.malformed, "The context is an answer: claim \(name).")
        }
        // Nothing tells this device's name as an audience, so one that names any is another's (RFC 7519
        // section 4.1.3).
        guard (claims["aud"] ?? .null) == .null else {
            throw PushError(.malformed, "The context is for somebody else: claim aud.")
        }
        begin = claims["nbf"] == nil ? nil : try Self.moment("nbf", in: claims)
        expiry = try Self.moment("exp", in: claims)
        issued = try Self.moment("iat", in: claims)
        token = try Self.text("context_token", in: claims)
        // It goes into a header.
        guard token.utf8.allSatisfy({ 0x21...0x7E ~= $0 }) else {
            throw Self.unusable("context_token")
        }
        type = try Self.text("type", in: claims)
        all = claims
    }

    /// Checks that the times make sense together. Whether `exp` has passed is the core's to judge.
    func checkTimes() throws(PushError) {
        guard expiry > issued, expiry.timeIntervalSince(issued) <= Self.maximumAge else {
            throw PushError(.malformed, "The context's exp doesn't fit its iat.")
        }
    }

    /// Whether it was made, or holds, later than clocks differ by.
    ///
    /// - Parameter now: Now, by the server's clock or this device's.
    /// - Returns: `true` if it says a time more than a minute ahead.
    func isFuture(at now: Date) -> Bool { max(issued, begin ?? issued) > now + 60 }

    /// `resolve_url`; `nil` if it is absent or null.
    var resolveURL: JSON? {
        let claim = all["resolve_url"]
        return claim == .null ? nil : claim
    }

    /// `settings.bind_sim`; `nil` if the push doesn't say.
    var bindSIM: Bool? { all["settings"]?["bind_sim"]?.bool }

    /// The challenge's name: what is signed, and no bearer token.
    var challengeName: String {
        var token = token
        return Hex.text(token.withUTF8 { SHA256.digest(of: UnsafeRawBufferPointer($0)) })
    }

    /// What the push asks for.
    ///
    /// - Throws: `PushError` with the code `malformed` if it is `code`, and its values can't be
    ///   told apart.
    var kind: PushContext.Kind {
        get throws(PushError) {
            switch type {
            case "prompt": .prompt
            case "code": .code(try values)
            default: .other
            }
        }
    }

    /// Strings, as leading zeros count. A number is taken as its decimal text.
    private var values: [String] {
        get throws(PushError) {
            let values = (all["values"]?.array ?? []).map { value -> String in
                switch value {
                case .string(let text): text
                case .number: value.integer.map { String($0) } ?? value.text
                default: ""
                }
            }
            guard (2...10).contains(values.count), !values.contains(""),
                Set(values).count == values.count
            else { throw Self.unusable("values") }
            return values
        }
    }

    /// Seconds since 1970; a fraction is cut off.
    private static func moment(
        _ name: String, in claims: JSON.Object
    ) throws(PushError) -> Date {
        guard let seconds = claims[name]?.double, 0..<0x1p53 ~= seconds else {
            throw unusable(name)
        }
        return Date(timeIntervalSince1970: seconds.rounded(.down))
    }

    private static func text(
        _ name: String, in claims: JSON.Object
    ) throws(PushError) -> String {
        guard let text = claims[name]?.string, !text.isEmpty else { throw unusable(name) }
        return text
    }

    private static func unusable(_ name: String) -> PushError {
        PushError(.malformed, "The context has no usable claim \(name).")
    }
}

extension Announcement {
    /// The provider's half of it: the claims as the ledger kept them.
    var note: ContextClaims {
        get throws(PushError) {
            try context { (payload) throws(PushError) in
                try payload.withBytes(ContextClaims.init(parsing:))
            }
        }
    }
}
