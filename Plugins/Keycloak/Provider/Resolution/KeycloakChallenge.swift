import PushCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A challenge in the extension's words: the `details(as:)` of the core's challenge. All of it is from
/// the realm's list.
public struct KeycloakChallenge: Hashable, Sendable {
    /// The name of the challenge.
    public let cid: String

    /// The user's identifier at the realm.
    public let userId: String

    /// The user's name, made safe to show; `nil` if the realm sent none.
    public let username: String?

    /// The identifier of the client that the user logs in to, made safe to show.
    public let clientId: String

    /// The client's name, made safe to show; `nil` if it has none.
    public let clientName: String?

    /// When the challenge was made, by the realm's clock; `nil` before 1.8 of the extension.
    public let createdAt: Date?

    /// When it ends, by the realm's clock.
    public let expiresAt: Date

    /// The answer that a same-device link has brought, if it has the form that the prompt asks for;
    /// `nil` else.
    ///
    /// An app may have it chosen or filled in beforehand. It goes out only as the user's own yes, in
    /// the resolution: a link that a stranger sends has it, too.
    public let answerFromLink: String?

    init(_ entry: ListedChallenge, _ context: ChallengeContext) {
        cid = entry.name
        userId = entry.userID
        username = entry.username.map { DisplayText.sanitized($0, .body) }
        clientId = DisplayText.sanitized(entry.clientID, .title)
        clientName = entry.clientName.map { DisplayText.sanitized($0, .title) }
        createdAt = entry.created
        expiresAt = entry.expiry
        answerFromLink = context.answerFromLink.flatMap {
            entry.verification.takes($0) ? $0 : nil
        }
    }
}
