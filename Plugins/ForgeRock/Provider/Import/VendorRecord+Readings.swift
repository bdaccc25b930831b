import PushCore

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
