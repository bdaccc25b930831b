import PushCore

/// The four calls of Apple's keychain that the store makes, in terms that are tested everywhere. Each
/// returns Apple's status.
protocol KeychainCalls: Sendable {
    /// `SecItemAdd`.
    func add(_ item: KeychainItem, in accessGroup: String?) -> Int32

    /// `SecItemCopyMatching`: the items that match, without their values unless `withValues`; one at the
    /// most if that is.
    func copy(
        _ query: KeychainQuery, withValues: Bool
    ) -> (status: Int32, items: [KeychainItem])

    /// `SecItemUpdate`: gives the items that match another value and another mark.
    func update(_ query: KeychainQuery, _ value: Secret, mark: [UInt8]) -> Int32

    /// `SecItemDelete`.
    func delete(_ query: KeychainQuery) -> Int32
}

/// Which generic passwords are meant: those that agree with each of its values.
struct KeychainQuery: Sendable {
    var accessGroup: String?
    var service: String?
    var account: String?
    /// `kSecAttrGeneric`.
    var mark: [UInt8]?
}

/// A generic password.
struct KeychainItem: Sendable {
    var service: String
    var account: String
    /// `kSecAttrGeneric`; `nil` if the item has none.
    var mark: [UInt8]?
    /// `nil` if it wasn't asked for, or the item has none.
    var value: Secret?
}
