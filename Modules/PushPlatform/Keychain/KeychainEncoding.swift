import PushCore

/// What the store of the keychain decides, apart from the calls themselves; built everywhere, so
/// that it is tested everywhere.
enum KeychainEncoding {
    // MARK: Status codes, by the names that Apple's SecBase.h gives them

    static let success: Int32 = 0
    static let itemNotFound: Int32 = -25300
    static let duplicateItem: Int32 = -25299
    static let interactionNotAllowed: Int32 = -25308
    static let authFailed: Int32 = -25293
    static let userCanceled: Int32 = -128

    private static let meanings: [Int32: String] = [
        -25308: "errSecInteractionNotAllowed: the device is locked, or wasn't unlocked since start",
        -25291: "errSecNotAvailable: there is no keychain",
        -25293: "errSecAuthFailed: the keychain refused",
        -34018: "errSecMissingEntitlement: the app lacks the access group's entitlement",
        -26275: "errSecDecode: the item can't be decoded",
        -67585: "errSecServiceNotAvailable: the keychain's service doesn't answer",
        -128: "errSecUserCanceled: the user cancelled",
        -50: "errSecParam: an argument is wrong",
        -36: "errSecIO: reading or writing failed",
        -34: "errSecDiskFull: the disk is full",
        -4: "errSecUnimplemented: the function isn't there",
    ]

    /// The error for a status, but for ``success``.
    ///
    /// An item that is there twice, or not at all, means that another writer was first: only the
    /// calls that carry a revision, or create, come here with those. Everything else is `storage`;
    /// a locked keychain must not look empty.
    static func error(_ status: Int32, _ operation: String) -> PushError {
        switch status {
        case itemNotFound, duplicateItem:
            return PushError(.conflict, "Another writer was first.")
        default:
            let meaning = meanings[status] ?? "status \(status)"
            return PushError(.storage, "The keychain's \(operation) failed, \(meaning).")
        }
    }

    // MARK: Revisions

    /// Eight bytes, the most significant first.
    static func bytes(of revision: Revision) -> [UInt8] { Bytes.of(revision.value) }

    /// `nil` if the item is damaged, or not of this store.
    static func revision(reading bytes: some Collection<UInt8>) -> Revision? {
        guard bytes.count == 8 else { return nil }
        return Revision(Bytes.number(bytes))
    }

    // MARK: Names

    /// A name as the keychain can't confuse it with another: plain ASCII as it is, all else as
    /// base64url after `=`, as Unicode has several spellings of one text.
    static func text(of name: String) -> String {
        let isPlain = name.utf8.allSatisfy { (0x21...0x7E).contains($0) }
        return isPlain && !name.isEmpty && !name.hasPrefix("=")
            ? name : "=" + Bytes.base64URL(Array(name.utf8))
    }

    /// `nil` if it isn't what ``text(of:)`` writes.
    static func name(reading text: String) -> String? {
        guard text.hasPrefix("=") else { return Self.text(of: text) == text ? text : nil }
        guard let bytes = Bytes.base64URL(reading: text.dropFirst()),
            let name = String(validUTF8: bytes), Self.text(of: name) == text
        else { return nil }
        return name
    }
}
