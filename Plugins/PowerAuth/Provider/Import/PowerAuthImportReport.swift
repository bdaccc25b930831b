public import PushCore

/// What became of each record that was to be imported.
public struct PowerAuthImportReport: Sendable {
    /// What became of a record.
    @nonexhaustive
    public enum Result: Sendable {
        /// It is an enrollment now.
        case taken(Enrollment)
        /// It was taken before, and nothing has changed.
        case known(Enrollment.ID)
        /// It has no activation in it: there is nothing to take.
        case empty
        /// It wasn't taken, and this is why: `unsupported` if it isn't a record of the vendor's SDK
        /// 1.x, is of a later one, was being upgraded to another protocol, or has a second lock whose
        /// key is missing; `malformed` if it is cut, too long or damaged, or a key has another size;
        /// `verificationFailed` if the new secret of biometry is too short; `conflict` if another
        /// activation has its identifier here; `storage` if it couldn't be written.
        case left(PushError)
    }

    /// What isn't as it was in the vendor's SDK.
    @nonexhaustive
    public enum Remark: Hashable, Sendable, CaseIterable {
        /// Biometry was set up, and its key wasn't handed over.
        /// ``PowerAuthManager/addBiometry(guardedBy:)`` sets it up again.
        case biometryLeft
        /// The user's keys had a second lock, an external key, and have none any more.
        case externalKeyRemoved
        /// There was a recovery code, which only the vendor's SDK could use.
        case recoveryLeft
    }

    /// One record.
    public struct Entry: Sendable {
        /// The activation, if it could be read.
        public let activation: String?

        /// What became of it.
        public let result: Result

        /// What isn't as it was in the vendor's SDK.
        public let remarks: Set<Remark>
    }

    /// One for each record, in the order they were handed over.
    public let entries: [Entry]

    /// The enrollments that this import has made.
    public var taken: [Enrollment] {
        entries.compactMap {
            if case .taken(let enrollment) = $0.result { enrollment } else { nil }
        }
    }

    /// Whether every activation is an enrollment now, or was before: only then may the vendor's items
    /// go.
    public var isComplete: Bool {
        entries.allSatisfy { if case .left = $0.result { false } else { true } }
    }
}
