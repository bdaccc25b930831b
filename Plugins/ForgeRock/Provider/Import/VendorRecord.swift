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

extension VendorRecord {
    /// What a record says, before anything is stored.
    enum Reading: Sendable {
        case account(StoredAccount)
        case mechanism(StoredMechanism)
        /// Nothing that can be used, and what is known of it.
        case unreadable(Description, PushError, isAccount: Bool)
    }

    /// What is known of a record by its names alone.
    struct Description: Sendable {
        var mechanism: String?
        var kind: ImportReport.Kind?
        var issuer: String?
        var account: String?
    }

    /// Reads the record; a list gives one reading for each of its mechanisms.
    var readings: [Reading] {
        do throws(PushError) {
            switch content {
            case .archive(let bytes): return [LegacyRecord(try KeyedArchive(bytes)).reading]
            case .json(let text, let platform, let secret):
                let limits = JSON.Limits(bytes: Self.longestText)
                let members = try MemberReader(try JSON(parsing: text, limits: limits)).object
                return Self.readings(of: members, platform, secret)
            case .uri(let text, let id, let platform):
                return [try CredentialURI(text.copiedText(), id: id, platform).reading]
            }
        } catch {
            // An archive that can't be read may be an account's.
            if case .archive = content {
                return [.unreadable(Description(), error, isAccount: true)]
            }
            return [.unreadable(Description(), error, isAccount: false)]
        }
    }

    private static let longestText = 1024 * 1024

    private static func readings(
        of members: JSON.Object, _ platform: Platform, _ secret: Secret?
    ) -> [Reading] {
        guard let list = members["mechanisms"]?.array else {
            return [reading(of: members, platform, secret)]
        }
        return list.map { element in
            guard let members = element.object else {
                return .unreadable(
                    Description(),
                    PushError(.malformed, "A mechanism of the list isn't an object."),
                    isAccount: false)
            }
            return reading(of: members, platform, nil)
        }
    }

    /// Each kind of record has a member that no other has.
    private static func reading(
        of members: JSON.Object, _ platform: Platform, _ secret: Secret?
    ) -> Reading {
        if members["mechanismUID"] != nil {
            return LegacyRecord(members, platform).reading
        }
        if members["sharedSecret"] != nil || members["oathType"] != nil {
            return CredentialRecord(members, platform, secret: secret).reading
        }
        // A notification names its message.
        guard members["accountName"] != nil, members["type"] == nil, members["messageId"] == nil
        else {
            return .unreadable(
                Description(), PushError(.unsupported, "It is neither a mechanism nor an account."),
                isAccount: false)
        }
        return LegacyRecord.account(members)
    }
}
