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

    /// The newest version of a record, or the one of an earlier revision of the whole store.
    ///
    /// - Parameters:
    ///   - key: The record.
    ///   - revision: The store's revision; `nil` for the newest.
    ///   - keysOnly: Whether it comes without its value, as that may be too large.
    /// - Returns: The body.
    static func range(
        _ key: [UInt8], at revision: UInt64? = nil, keysOnly: Bool = false
    ) -> String {
        let revision = revision.map { #","revision":"\#($0)""# } ?? ""
        let keysOnly = keysOnly ? #","keys_only":true"# : ""
        return #"{"key":"\#(base64(key))"\#(revision)\#(keysOnly)}"#
    }

    /// Some records from a key on, before another one.
    static func range(
        from key: [UInt8], to end: [UInt8], limit: Int, keysOnly: Bool
    ) -> String {
        let keysOnly = keysOnly ? #","keys_only":true"# : ""
        return
            #"{"key":"\#(base64(key))","range_end":"\#(base64(end))","limit":"\#(limit)"\#(keysOnly)}"#
    }

    /// Several ranges, read at one moment.
    static func all(_ ranges: [String]) -> String {
        #"{"success":[\#(ranges.map(request).joined(separator: ","))]}"#
    }

    /// Makes a change if its condition holds; else says what is there, perhaps without its value.
    static func transaction(_ change: EtcdChange, keysOnly: Bool) -> String {
        let (key, mark) = (base64(change.key), base64(change.mark))
        let operations =
            change.value.map { value in
                [put(key, base64(value)), change.waits ? put(mark, "") : deletion(of: mark)]
            } ?? [key, mark].map(deletion)
        return #"{"compare":[{"target":"MOD","result":"EQUAL","key":"\#(key)","#
            + #""mod_revision":"\#(change.replaced)"}],"#
            + #""success":[\#(operations.joined(separator: ","))],"#
            + #""failure":[\#(request(range(change.key, keysOnly: keysOnly)))]}"#
    }

    private static func request(_ range: String) -> String { #"{"request_range":\#(range)}"# }

    private static func put(_ key: String, _ value: String) -> String {
        #"{"request_put":{"key":"\#(key)","value":"\#(value)"}}"#
    }

    private static func deletion(of key: String) -> String {
        #"{"request_delete_range":{"key":"\#(key)"}}"#
    }

    private static func base64(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }
}

/// A change of a record, and of the mark that says that work waits in it.
struct EtcdChange: Sendable {
    let key: [UInt8]
    /// The key of its mark, which has no condition: the record's is enough.
    let mark: [UInt8]
    /// The revision that the record must have; 0 if there must be none.
    let replaced: UInt64
    /// What is put; nobody else puts the same bytes. `nil` deletes the record.
    let value: [UInt8]?
    let waits: Bool

    /// Whether its condition holds for what is there.
    func holds(for entry: EtcdEntry?) -> Bool { (entry?.modified ?? 0) == replaced }
}
