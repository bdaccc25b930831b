#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// One thing that isn't finished, in the index that is kept in a store that is
/// ``StoreTraits/atomic``: whoever goes on with it reads no row that is over.
///
/// The entry of a challenge changes with its row, in one commit. So the index may name too much, such
/// as after a row was taken away by hand, and never too little.
package struct UnfinishedEntry: Sendable {
    package static let collection = "unfinished"

    /// What isn't finished.
    package enum Matter: Hashable, Sendable {
        /// A challenge waits for the user.
        case open(Challenge.ID)
        /// A decision waits for the vendor's word.
        case decided(Challenge.ID)
        /// An enrollment is being removed, with all that is kept of it.
        case removal(Enrollment.ID)
    }

    package let matter: Matter

    /// When the challenge expires, if its announcement says so.
    package let expiry: Date?

    init(_ matter: Matter, expiry: Date? = nil) {
        self.matter = matter
        self.expiry = expiry
    }

    /// The entry of a row; `nil` if nothing waits in it.
    init?(_ row: LedgerRow) {
        guard let announcement = row.announcement else { return nil }
        expiry = announcement.notice.expiry
        switch row.state {
        case .open: matter = .open(row.id)
        case .decided: matter = .decided(row.id)
        case .answered, .over: return nil
        }
    }

    /// Reads an entry; `nil` if it is none, such as one that is damaged.
    package init?(_ record: StoredRecord) {
        guard case .success(let content?) = record.content,
            let fields = try? SecretRecord(reading: content.value).fields
        else { return nil }
        expiry = fields["expiry"]?.date
        switch fields["is"]?.string {
        case "open":
            guard let id = Ledger.id(named: record.key.name) else { return nil }
            matter = .open(id)
        case "decided":
            guard let id = Ledger.id(named: record.key.name) else { return nil }
            matter = .decided(id)
        case "removal":
            guard let id = RecordKey.enrollment(named: record.key.name) else { return nil }
            matter = .removal(id)
        default: return nil
        }
    }

    /// The challenge, if it waits for the user.
    var openChallenge: Challenge.ID? {
        if case .open(let id) = matter { id } else { nil }
    }

    /// The challenge, if its decision waits for the vendor's word.
    var decidedChallenge: Challenge.ID? {
        if case .decided(let id) = matter { id } else { nil }
    }

    /// The challenge that waits, if it is one.
    var challenge: Challenge.ID? {
        switch matter {
        case .open(let id), .decided(let id): id
        case .removal: nil
        }
    }

    /// Whose it is.
    var enrollment: Enrollment.ID {
        switch matter {
        case .open(let id), .decided(let id): id.enrollment
        case .removal(let id): id
        }
    }

    var key: RecordKey {
        switch matter {
        case .open(let id), .decided(let id): Self.key(id)
        case .removal(let id): RecordKey(Self.collection, id)
        }
    }

    static func key(_ id: Challenge.ID) -> RecordKey {
        RecordKey(collection, Ledger.key(id).name)
    }

    var sealed: Secret {
        let kind =
            switch matter {
            case .open: "open"
            case .decided: "decided"
            case .removal: "removal"
            }
        var fields: JSON.Object = ["is": .string(kind)]
        fields["expiry"] = expiry.map { JSON($0) }
        return SecretRecord(fields: fields).sealed
    }

    /// Whether two entries say the same of one challenge.
    static func isSame(_ one: UnfinishedEntry?, _ other: UnfinishedEntry?) -> Bool {
        one?.matter == other?.matter && one?.expiry == other?.expiry
    }
}
