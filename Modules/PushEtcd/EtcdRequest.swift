import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The bodies that etcd's JSON gateway is sent.
///
/// Each member's name is part of the promise: etcd ignores a member that it doesn't know, so that a
/// comparison with a misspelt `mod_revision` would hold for a record that isn't there.
enum EtcdRequest {
    static let rangePath = "/v3/kv/range"
    static let transactionPath = "/v3/kv/txn"
    static let authenticatePath = "/v3/auth/authenticate"

    /// How many operations etcd takes in a transaction, by default.
    static let maximumOperations = 128

    /// How many changes that makes: each is two operations.
    static let maximumChanges = maximumOperations / 2

    /// The newest version of a record, or the one of an earlier revision of the whole store.
    static func range(_ key: [UInt8], at revision: UInt64? = nil) -> String {
        let revision = revision.map { #","revision":"\#($0)""# } ?? ""
        return #"{"key":"\#(base64(key))"\#(revision)}"#
    }

    /// The versions of a record at earlier revisions of the whole store.
    static func range(_ key: [UInt8], at revisions: [UInt64]) -> String {
        let ranges = revisions.map { #"{"request_range":\#(range(key, at: $0))}"# }
        return #"{"success":[\#(ranges.joined(separator: ","))]}"#
    }

    /// Some records from a key on, before another one.
    static func range(
        from key: [UInt8], to end: [UInt8], limit: Int, keysOnly: Bool
    ) -> String {
        let keysOnly = keysOnly ? #","keys_only":true"# : ""
        return
            #"{"key":"\#(base64(key))","range_end":"\#(base64(end))","limit":"\#(limit)"\#(keysOnly)}"#
    }

    /// Several records, as they were at one moment.
    static func ranges(_ keys: [[UInt8]]) -> String {
        #"{"success":[\#(keys.map { request($0) }.joined(separator: ","))]}"#
    }

    /// Makes changes if all their conditions hold; else says what is there.
    ///
    /// - Parameters:
    ///   - changes: The changes.
    ///   - keysOnly: Whether what is there comes without values, as they may be too large together.
    /// - Returns: The body.
    static func transaction(_ changes: [EtcdChange], keysOnly: Bool = false) -> String {
        let compare = changes.map { $0.condition.text(for: base64($0.key)) }
        let success = changes.flatMap(\.operations)
        let failure = changes.map { request($0.key, keysOnly: keysOnly) }
        return #"{"compare":[\#(compare.joined(separator: ","))],"#
            + #""success":[\#(success.joined(separator: ","))],"#
            + #""failure":[\#(failure.joined(separator: ","))]}"#
    }

    private static func request(_ key: [UInt8], keysOnly: Bool = false) -> String {
        let keysOnly = keysOnly ? #","keys_only":true"# : ""
        return #"{"request_range":{"key":"\#(base64(key))"\#(keysOnly)}}"#
    }

    static func base64(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }
}

/// One of the changes of a transaction: of a record, and of the mark that says that work waits in
/// it.
struct EtcdChange: Sendable {
    enum Condition: Hashable, Sendable {
        case absent
        case present
        case revision(UInt64)
    }

    let key: [UInt8]
    /// The key of its mark, which has no condition: the record's is enough.
    let mark: [UInt8]
    let condition: Condition
    /// What is put; nobody else puts the same bytes.
    var value: [UInt8]?
    var waits = false
    var isDeletion = false

    fileprivate var operations: [String] {
        if let value {
            return [Self.put(key, value), waits ? Self.put(mark, []) : Self.deletion(of: mark)]
        }
        return isDeletion ? [key, mark].map(Self.deletion) : []
    }

    private static func put(_ key: [UInt8], _ value: [UInt8]) -> String {
        let (key, value) = (EtcdRequest.base64(key), EtcdRequest.base64(value))
        return #"{"request_put":{"key":"\#(key)","value":"\#(value)"}}"#
    }

    private static func deletion(of key: [UInt8]) -> String {
        #"{"request_delete_range":{"key":"\#(EtcdRequest.base64(key))"}}"#
    }
}

extension EtcdChange.Condition {
    fileprivate func text(for name: String) -> String {
        switch self {
        case .absent: Self.equal(name, 0)
        case .revision(let revision): Self.equal(name, revision)
        case .present:
            #"{"target":"CREATE","result":"GREATER","key":"\#(name)","create_revision":"0"}"#
        }
    }

    private static func equal(_ name: String, _ revision: UInt64) -> String {
        #"{"target":"MOD","result":"EQUAL","key":"\#(name)","mod_revision":"\#(revision)"}"#
    }

    /// Whether it holds for what is there.
    func holds(for entry: EtcdEntry?) -> Bool {
        switch self {
        case .absent: entry == nil
        case .present: entry != nil
        case .revision(let revision): entry?.modified == revision
        }
    }
}
