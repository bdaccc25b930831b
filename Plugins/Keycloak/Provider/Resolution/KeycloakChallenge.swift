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

    init(_ entry: ListedChallenge) {
        cid = entry.name
        userId = entry.userID
        username = entry.username.map { DisplayText.sanitized($0, .body) }
        clientId = DisplayText.sanitized(entry.clientID, .title)
        clientName = entry.clientName.map { DisplayText.sanitized($0, .title) }
        createdAt = entry.created
        expiresAt = entry.expiry
    }
}
