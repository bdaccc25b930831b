public import PushCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// One record that the vendor's SDK keeps in its store, as the app hands it over: a mechanism, an
/// account, or a list of mechanisms.
///
/// What it holds is told by its content. Records hold secrets: never let them pass through a file or the
/// pasteboard in clear.
public struct VendorRecord: Sendable {
    /// Where the vendor's SDK ran that wrote a record. Its two families count alike on each.
    @nonexhaustive
    public enum Platform: Hashable, Sendable {
        /// FRAuthenticator, or PingPush and PingOath, for iOS: a stored counter is the next one.
        case iOS
        /// The same for Android: a stored counter is the last one that was used.
        case android
    }

    enum Content: Sendable {
        case archive(Data)
        case json(Data, Platform, secret: Secret?)
        case uri(Secret, id: String, Platform)
    }

    let content: Content

    /// A record of FRAuthenticator for iOS as it lies in the keychain: a keyed archive, decrypted.
    public static func archive(_ bytes: Data) -> VendorRecord {
        VendorRecord(content: .archive(bytes))
    }

    /// A record as JSON text.
    ///
    /// - Parameters:
    ///   - text: What `toJson()` gives in FRAuthenticator, or a `JSONEncoder` of PingPush's credential;
    ///     or what lies in the store itself.
    ///   - platform: Where the SDK ran.
    ///   - secret: The Base32 text of a one-time-code credential of PingOath for iOS, which its JSON
    ///     lacks.
    /// - Returns: The record.
    public static func json(
        _ text: Data, from platform: Platform, secret: Secret? = nil
    ) -> VendorRecord {
        VendorRecord(content: .json(text, platform, secret: secret))
    }

    /// A credential of PingPush or PingOath as its `toUri()` gives it.
    ///
    /// - Parameters:
    ///   - text: The URI. It is a record, and registers nothing.
    ///   - id: The credential's `id`, which the URI lacks.
    ///   - platform: Where the SDK ran.
    /// - Returns: The record.
    public static func uri(
        _ text: String, id: String, from platform: Platform
    ) -> VendorRecord {
        VendorRecord(content: .uri(Secret(copying: text), id: id, platform))
    }
}
