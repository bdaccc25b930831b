#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// A challenge that waits, for whoever looks after the stores of many devices.
package struct WaitingChallenge: Sendable {
    /// Where the enrollments' records are.
    package static let collection = Documents.collection

    package let id: Challenge.ID

    /// Whether the user has decided, and the vendor's word isn't known yet.
    package let isDecided: Bool

    /// When it expires, if its announcement says so.
    package let expiry: Date?

    /// Those of one enrollment's record.
    ///
    /// - Throws: ``PushError`` with the code `malformed` or `unsupportedRecord` if it can't be read.
    package static func all(in record: Secret) throws(PushError) -> [WaitingChallenge] {
        var document = try EnrollmentDocument(reading: record)
        return document.readRows(waiting: true).rows.map { row in
            WaitingChallenge(
                id: row.id, isDecided: row.decided != nil,
                expiry: row.announcement?.notice.expiry)
        }
    }
}

extension RecordKey {
    /// Whether a collection holds the records of all scopes, each scope before its names.
    package static func hasScopesInNames(_ collection: String) -> Bool {
        collection == Documents.collection
    }
}
