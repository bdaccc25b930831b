#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What is on record.
extension PushAuthenticator {
    /// What is known of one enrollment's challenges, or of all, newest first: those that wait, and
    /// the newest of those that are over (``Retention/rows``).
    ///
    /// - Throws: ``PushError`` with the code `storage` if the store can't tell.
    public func records(
        of enrollment: Enrollment.ID? = nil
    ) async throws(PushError) -> [ChallengeRecord] {
        Self.records(try await core.rows(of: enrollment))
    }

    /// The challenges that wait for the user or for the vendor's word, of one enrollment or of all,
    /// newest first.
    ///
    /// If the store can leave the others out, they aren't opened
    /// (``CredentialStore/names(in:waiting:after:limit:)``).
    ///
    /// - Throws: ``PushError`` with the code `storage` if the store can't tell.
    public func unfinishedRecords(
        of enrollment: Enrollment.ID? = nil
    ) async throws(PushError) -> [ChallengeRecord] {
        Self.records(try await core.rows(of: enrollment, waiting: true))
    }

    /// What is known of announced challenges, newest first.
    static func records(_ rows: [LedgerRow]) -> [ChallengeRecord] {
        rows.compactMap(ChallengeRecord.init).inOrder { record in
            let moment = record.notice.issued ?? record.notice.expiry ?? .distantPast
            return (moment, record.id.name)
        }.reversed()
    }

    /// What is known of a challenge; `nil` if it was never announced, or is over for so long that
    /// only a trace is left.
    ///
    /// - Throws: ``PushError`` with the code `malformed` if its enrollment's record is damaged,
    ///   `unsupportedRecord` if a newer version wrote it, `storage` if the store can't tell.
    public func record(of id: Challenge.ID) async throws(PushError) -> ChallengeRecord? {
        try await core.row(id).flatMap(ChallengeRecord.init)
    }

    /// The announcement of a challenge, for its plugin, which alone can read the context.
    ///
    /// - Throws: ``PushError`` with the code `notFound` if nobody has announced it, `over` if it
    ///   was withdrawn before it came or is over for long, `malformed` if its enrollment's record
    ///   is damaged, `unsupportedRecord` if a newer version wrote it, `storage` if the store can't
    ///   tell.
    public func announcement(of id: Challenge.ID) async throws(PushError) -> Announcement {
        try await core.announced(id).announcement
    }
}

/// What happens.
extension PushAuthenticator {
    /// Updates from now on.
    ///
    /// The authenticator waits for no subscriber. A subscriber that falls behind loses the oldest
    /// updates, and the observer is told. ``records(of:)`` and ``enrollments()`` have what it
    /// missed.
    ///
    /// - Parameter limit: The most updates that wait for the subscriber, at least 1.
    /// - Returns: The updates, in order.
    public func updates(keeping limit: Int = 256) async -> AsyncStream<AuthenticatorUpdate> {
        await core.updates.stream(keeping: limit)
    }

    /// How many challenges came for an enrollment within the window of
    /// ``PushConfiguration/bursts``, in all processes, if they are too many, or if the user called
    /// a recent one an attack: warn the user where a challenge is shown. Else `nil`.
    public func burst(at id: Enrollment.ID) async -> Int? {
        (try? await core.documents.read(id)).flatMap(core.burst)
    }
}

/// What checks look at.
extension PushAuthenticator {
    /// An authenticator for the same plugins and store that is configured otherwise.
    package nonisolated func sibling(_ configuration: PushConfiguration) -> PushAuthenticator {
        PushAuthenticator(core.registry, in: core.environment, configuration: configuration)
    }

    /// The revision of every record that the core and its providers keep, so that a conformance
    /// check can tell whether anything was written.
    package func revisions() async throws(PushError) -> [RecordKey: Revision] {
        let (environment, providers) = (core.environment, core.registry.ids)
        let collections =
            [
                Documents.collection, DeviceTokens.collection, Accounts.installationCollection,
            ] + providers.map(Claim.collection(of:))
        var revisions: [RecordKey: Revision] = [:]
        for collection in collections {
            for name in try await environment.store.names(in: collection) {
                let key = RecordKey(collection, name)
                revisions[key] = try await environment.store.read(key)?.revision
            }
        }
        return revisions
    }

    /// How many callers wait for the question about a matter of an enrollment that waits.
    package func callersOfQuestion(
        at id: Enrollment.ID, about topic: PushEvent.Hint.Topic = .challenges
    ) async -> Int {
        await questions.callers(at: id, about: topic)
    }
}
