import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A key that the server made for one application or activation, and that ends soon.
struct TemporaryKey: Sendable {
    /// How much earlier than the server a client stops using a key.
    static let margin = Duration.seconds(10)

    /// The key, with its identifier.
    let key: EncryptionKey

    /// When the server made it, by its own clock: the server's time, then.
    let issued: Date

    /// When it ends, by this device's monotonic clock; early rather than late.
    let end: Duration

    /// Whether a request may still be sealed for it.
    func isUsable(at elapsed: Duration) -> Bool { elapsed < end - Self.margin }
}

/// The server's key that requests are sealed for.
struct EncryptionKey: Sendable {
    /// The temporary key's identifier; `nil` below version 3.3, where the key is the master server
    /// key in application scope and the activation's server key in activation scope.
    let id: String?

    /// The key.
    let publicKey: CurvePoint
}
