public import PushCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// What a verified push says, under the names of PlusAuth's documentation: the claims of its
/// `context`.
///
/// It's the `details(as:)` of a challenge of this plugin. Texts are made safe to show: cut to 200
/// characters, without control and bidirectional characters, and `nil` if empty.
public struct PushContext: Sendable {
    /// What the push asks for.
    @nonexhaustive
    public enum Kind: Hashable, Sendable {
        /// `code`: choose the text that the login page shows.
        case code([String])
        /// `prompt`: accept or reject.
        case prompt
        /// A type that this version doesn't know; see ``PushContext/rawType``.
        case other
    }

    /// What the server wants set.
    public struct Settings: Hashable, Sendable {
        /// `bind_sim`: whether the account is bound to its SIM cards; `nil` if the push doesn't say.
        public let bindSIM: Bool?
    }

    /// `exp`: when the challenge ends, by the server's clock.
    public let exp: Date

    /// `iat`: when the server made it, by its clock.
    public let iat: Date

    /// `context_token`: the bearer token of the answer.
    public let contextToken: Secret

    /// `resolve_url`: where the answer goes, of an origin that was checked; `nil` if the push
    /// doesn't say.
    public let resolveURL: String?

    /// `type` and `values`, as this version understands them.
    public let type: Kind

    /// `type`, as it was sent.
    public let rawType: String

    /// `values`: what to choose from, exactly as the answer must repeat it; empty unless the type
    /// is `code`.
    public let values: [String]

    /// `settings`.
    public let settings: Settings?

    /// `info`: who asks, from where; for display only.
    public let info: Info?
}
