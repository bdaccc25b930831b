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

/// The temporary keys in use, one per scope. They live in memory alone.
actor TemporaryKeyCache {
    /// A scope without its secrets, told apart by bytes.
    private struct Name: Hashable {
        let application: [UInt8]
        let activation: [UInt8]?

        init(_ scope: EncryptionScope) {
            application = Array(scope.application.key.utf8)
            activation = scope.activationID.map { Array($0.utf8) }
        }
    }

    private var keys: [Name: TemporaryKey] = [:]

    /// A scope's key, unless it ends within ``TemporaryKey/margin``.
    ///
    /// `elapsed` is the monotonic time now.
    func key(for scope: EncryptionScope, at elapsed: Duration) -> TemporaryKey? {
        guard let key = keys[Name(scope)], key.isUsable(at: elapsed) else { return nil }
        return key
    }

    /// Keeps a key, in place of the one the scope had, and drops all that have ended.
    func keep(_ key: TemporaryKey, for scope: EncryptionScope, at elapsed: Duration) {
        keys[Name(scope)] = key
        keys = keys.filter { $0.value.isUsable(at: elapsed) }
    }

    /// Forgets a scope's key, such as one that the server no longer knows.
    func forget(_ scope: EncryptionScope) {
        keys[Name(scope)] = nil
    }

    /// Forgets every key.
    func removeAll() { keys.removeAll() }
}
