#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// How enrollments leave this device.
///
/// The mark comes before the content: nobody gets what moves while this device could still use it. Until
/// all its challenges are closed, the mark says that it is still leaving, and may be taken away; then
/// the mark is there for good. A process that is killed between leaves an enrollment that is marked,
/// and no file; the next export gives it again.
struct Exports: Sendable {
    let core: AuthenticatorCore
    let challenges: ChallengeLifecycle
    let turns: EnrollmentTurns

    private typealias Leaving = (
        entry: EnrollmentExport.Entry, content: ExportContent.Entry?
    )

    /// Lets enrollments leave, as far as they may.
    func export(_ ids: [Enrollment.ID]) async -> EnrollmentExport {
        var content = ExportContent()
        var entries: [EnrollmentExport.Entry] = []
        for id in ids {
            do throws(PushError) {
                guard let leaving = try await leave(id, beside: content) else { continue }
                entries.append(leaving.entry)
                if let left = leaving.content { content.append(left) }
            } catch {
                entries.append(await failed(id, error))
            }
        }
        return EnrollmentExport(content: content.sealed, entries: entries)
    }

    /// What ``export(_:)`` would make of enrollments. Nothing changes.
    func preview(_ ids: [Enrollment.ID]) async -> [EnrollmentExport.Entry] {
        var entries: [EnrollmentExport.Entry] = []
        for id in ids {
            do throws(PushError) {
                let provider = try core.provider(id.provider)
                let accounts = core.environment.accounts(for: id.provider)
                guard let record = try await accounts.record(id) else { continue }
                if try await !settledRows(of: id) { throw Self.unsettled }
                let leaving = try Self.leaving(record, by: provider.exporter)
                try leaving.content?.checkReadable()
                entries.append(.init(record.enrollment, leaving.result))
            } catch {
                entries.append(await failed(id, error))
            }
        }
        return entries
    }

    /// One that nothing is known of but its name, if its record is damaged.
    private func failed(
        _ id: Enrollment.ID, _ error: PushError
    ) async -> EnrollmentExport.Entry {
        let known = try? await core.environment.accounts(for: id.provider).enrollment(id)
        let unknown = Enrollment(
            id: id, state: .needsReenrollment, created: core.environment.clock.now)
        return .init(known ?? unknown, .failed(error.attributed(to: id.provider)))
    }

    // MARK: One enrollment

    /// Lets an enrollment leave; `nil` if it isn't there any more.
    private func leave(
        _ id: Enrollment.ID, beside others: ExportContent
    ) async throws(PushError) -> Leaving? {
        let exporter = try core.provider(id.provider).exporter
        return try await turns.turn(of: id) { () async throws(PushError) -> Leaving? in
            guard try await settledRows(of: id) else {
                try await comeBack(id)
                throw Self.unsettled
            }
            let answered = try await answered(of: id)
            let marked = try await mark(id, by: exporter, answered, beside: others)
            guard let (leaving, mark) = marked else { return nil }
            guard case .moved = leaving.entry.result else { return leaving }
            await challenges.closeAll(of: id)
            // Another process may have decided before it could see the mark.
            guard try await settledRows(of: id, andClosed: true) else {
                try await comeBack(id)
                throw Self.unsettled
            }
            // Or had its answer taken meanwhile.
            var content = try await give(id, by: exporter, markedBy: mark)
            content?.answered = try await self.answered(of: id)
            return (leaving.entry, content)
        }
    }

    /// What the user answered here, or before on another device: newest first.
    private func answered(of id: Enrollment.ID) async throws(PushError) -> [Withdrawal] {
        let answered = try await core.survey(of: id).rows.filter { row in
            switch row.state {
            case .answered: true
            case .over(let withdrawal): withdrawal.reason == .elsewhere
            case .open, .decided: false
            }
        }
        return answered.sorted { ($0.finished ?? $0.seen) > ($1.finished ?? $1.seen) }
            .prefix(ExportContent.Entry.mostAnswered)
            .map { row in
                let expiry = row.announcement?.notice.expiry ?? row.withdrawal?.expiry
                return Withdrawal(row.id, .elsewhere, expiry: expiry)
            }
    }

    /// Marks an enrollment as leaving, if it moves, in the one write that no use of it can overtake.
    ///
    /// - Returns: What would leave, and whose mark it is; `nil` if the enrollment isn't there any more.
    /// - Throws: `invalidArgument` if the export is full, `malformed` if nobody could read what would
    ///   leave. Nothing has changed then.
    private func mark(
        _ id: Enrollment.ID, by exporter: any EnrollmentExporter, _ answered: [Withdrawal],
        beside others: ExportContent
    ) async throws(PushError) -> (leaving: Leaving, mark: String?)? {
        let accounts = core.environment.accounts(for: id.provider)
        let now = core.environment.clock.now
        let mine = core.environment.random.bytes(8).withBytes { Hexadecimal.text($0) }
        return try await accounts.store.change(accounts.key(id)) {
            (found) throws(PushError) -> (RecordChange<Secret>, (Leaving, String?)?) in
            guard let found else { return (.keep, nil) }
            var record = try CredentialRecord(reading: found, of: id.provider)
            var leaving = try Self.leaving(record, by: exporter)
            leaving.content?.answered = answered
            if let content = leaving.content { try others.checkRoom(for: content) }
            let value: Leaving = (.init(record.enrollment, leaving.result), leaving.content)
            guard case .moved = leaving.result, record.departed == nil else {
                return (.keep, (value, record.leaving))
            }
            record.departed = now
            record.leaving = mine
            return (.replace(record.sealed), (value, mine))
        }
    }

    /// Makes a mark one that only an import takes away, and returns what leaves, as it is then.
    private func give(
        _ id: Enrollment.ID, by exporter: any EnrollmentExporter, markedBy mark: String?
    ) async throws(PushError) -> ExportContent.Entry? {
        let accounts = core.environment.accounts(for: id.provider)
        return try await accounts.store.change(accounts.key(id)) {
            (found) throws(PushError) -> (RecordChange<Secret>, ExportContent.Entry?) in
            guard let found else { throw accounts.unknown }
            var record = try CredentialRecord(reading: found, of: id.provider)
            // Another export called it off meanwhile.
            guard record.departed != nil, record.leaving == nil || record.leaving == mark else {
                throw Self.unsettled
            }
            let content = try Self.leaving(record, by: exporter).content
            guard record.leaving != nil else { return (.keep, content) }
            record.leaving = nil
            accounts.hands.forget(id)
            return (.replace(record.sealed), content)
        }
    }

    /// Takes the mark away from an enrollment that nobody has got.
    private func comeBack(_ id: Enrollment.ID) async throws(PushError) {
        let accounts = core.environment.accounts(for: id.provider)
        try await accounts.store.change(accounts.key(id)) {
            (found) throws(PushError) -> (RecordChange<Secret>, Void) in
            guard let found else { return (.keep, ()) }
            var record = try CredentialRecord(reading: found, of: id.provider)
            guard record.leaving != nil else { return (.keep, ()) }
            record.departed = nil
            record.leaving = nil
            return (.replace(record.sealed), ())
        }
    }

    private static func leaving(
        _ record: CredentialRecord, by exporter: any EnrollmentExporter
    ) throws(PushError) -> (result: EnrollmentExport.Result, content: ExportContent.Entry?) {
        var enrollment = record.credential.enrollment
        switch enrollment.state {
        case .active, .blocked: break
        case .pending:
            return (
                .notExportable("It isn't complete yet: finish it here, or enroll the new device."),
                nil
            )
        case .needsReenrollment, .movedAway:
            return (.notExportable("Its vendor knows it no more: enroll the new device."), nil)
        }
        enrollment.deviceToken = nil
        enrollment.isTokenDoubtful = false
        switch try exporter.exportability(of: record.credential) {
        case .copies(let content):
            return (.copied, .init(enrollment: enrollment, isCopy: true, content: content))
        case .moves(let content):
            return (.moved, .init(enrollment: enrollment, isCopy: false, content: content))
        case .notExportable(let reason): return (.notExportable(reason), nil)
        }
    }

    // MARK: Challenges

    /// Whether no answer of an enrollment is on its way; and, if that is asked for, nothing is open.
    private func settledRows(
        of id: Enrollment.ID, andClosed: Bool = false
    ) async throws(PushError) -> Bool {
        let (rows, unreadable) = try await core.surveyUnfinished(of: id)
        // A newer version may be sending what this one can't read.
        guard !unreadable.contains(where: { $0.error.code == .unsupportedRecord }) else {
            return false
        }
        return rows.allSatisfy { row in
            switch row.state {
            case .decided: false
            case .open: !andClosed
            case .answered, .over: true
            }
        }
    }

    private static let unsettled = PushError(
        .interrupted,
        "Nobody knows yet what came of an answer: let it be sent, and export again.")
}
