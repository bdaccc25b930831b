#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// How enrollments leave this device.
///
/// One write marks an enrollment as moved away and closes what is open of it, before anybody gets
/// what leaves: an answer that another process decides meanwhile loses its compare-and-set. A
/// process that is killed then leaves an enrollment that is marked, and no file; the next export
/// gives it again.
struct Exports: Sendable {
    let core: AuthenticatorCore
    let turns: EnrollmentTurns

    private typealias Leaving = (
        entry: EnrollmentExport.Entry, content: ExportContent.Entry?
    )

    /// Lets enrollments leave, as far as they may.
    func export(_ ids: [Enrollment.ID]) async -> EnrollmentExport {
        var content = ExportContent()
        let entries = await entries(of: ids) { (id) async throws(PushError) in
            let leaving = try await leave(id, beside: content)
            if let left = leaving?.content { content.append(left) }
            return leaving?.entry
        }
        return EnrollmentExport(content: content.sealed, entries: entries)
    }

    /// What ``export(_:)`` would make of enrollments. Nothing changes.
    func preview(_ ids: [Enrollment.ID]) async -> [EnrollmentExport.Entry] {
        await entries(of: ids) { (id) async throws(PushError) in
            guard let hand = try await core.documents.read(id) else { return nil }
            let leaving = try preview(hand)
            try leaving.content?.checkReadable()
            return leaving.entry
        }
    }

    /// What becomes of each enrollment; one that isn't there is left out.
    private func entries(
        of ids: [Enrollment.ID],
        _ body: (Enrollment.ID) async throws(PushError) -> EnrollmentExport.Entry?
    ) async -> [EnrollmentExport.Entry] {
        var entries: [EnrollmentExport.Entry] = []
        for id in ids {
            do throws(PushError) {
                if let entry = try await body(id) { entries.append(entry) }
            } catch {
                entries.append(await failed(id, error))
            }
        }
        return entries
    }

    private func failed(_ id: Enrollment.ID, _ error: PushError) async -> EnrollmentExport.Entry {
        // If its record is damaged, nothing is known of it but its name.
        let known = try? await core.documents.read(id)?.enrollment
        let unknown = Enrollment(
            id: id, state: .needsReenrollment, created: core.environment.clock.now)
        return .init(
            enrollment: known ?? unknown, result: .failed(error.attributed(to: id.provider)))
    }

    /// What would become of an enrollment. What of it is behind a locked guard isn't in it.
    private func preview(_ hand: DocumentInHand) throws(PushError) -> Leaving {
        let provider = try core.provider(hand.id.provider)
        return try hand.look { (document) throws(PushError) in
            try document.requireSettled()
            return try Self.leaving(&document, by: provider)
        }
    }

    /// Lets an enrollment leave, opened; `nil` if it isn't there any more.
    ///
    /// - Throws: `interrupted` if nobody knows what came of an answer, `invalidArgument` if the
    ///   export is full, `malformed` if nobody could read what would leave, and what a guard throws
    ///   that isn't opened. Nothing has changed then.
    private func leave(
        _ id: Enrollment.ID, beside others: ExportContent
    ) async throws(PushError) -> Leaving? {
        guard let hand = try await core.documents.read(id) else { return nil }
        // Nobody is asked for what stays.
        let guarded = try preview(hand).content == nil ? [] : [hand]
        return try await core.opening(guarded, for: .manage(id, "export")) {
            () async throws(PushError) in try await leaveOpened(id, beside: others)
        }
    }

    private func leaveOpened(
        _ id: Enrollment.ID, beside others: ExportContent
    ) async throws(PushError) -> Leaving? {
        let provider = try core.provider(id.provider)
        return try await turns.turn(of: id) { (turn) async throws(PushError) -> Leaving? in
            guard let hand = try await turn.handIfAny() else { return nil }
            let (leaving, closed) = try await core.change(hand) {
                (document, rules) throws(PushError) in
                try document.requireSettled()
                let leaving = try Self.leaving(&document, by: provider)
                // Another process may have changed the guard.
                if leaving.content != nil, document.isLocked { throw .locked }
                if let content = leaving.content { try others.checkRoom(for: content) }
                guard case .moved = leaving.entry.result, document.head.departed == nil else {
                    return (leaving, [Withdrawal]())
                }
                document.head.departed = rules.now
                return (leaving, try document.closeAll(by: rules))
            }
            for withdrawal in closed {
                _ = await core.published(.over(withdrawal), isNew: true)
            }
            return leaving
        }
    }

    private static func leaving(
        _ document: inout EnrollmentDocument, by provider: any PushProvider
    ) throws(PushError) -> Leaving {
        let shown = document.head.shown
        var enrollment = document.head.enrollment
        func stays(_ reason: String) -> Leaving {
            (.init(enrollment: shown, result: .notExportable(reason)), nil)
        }
        switch enrollment.state {
        case .active, .blocked: break
        case .pending:
            return stays("It isn't complete yet: finish it here, or enroll the new device.")
        case .needsReenrollment, .movedAway:
            return stays("Its vendor knows it no more: enroll the new device.")
        }
        enrollment.deviceToken = nil
        enrollment.isTokenDoubtful = false
        let half = try provider.guarded?.open(in: &document).half?.sealed ?? document.credential
        let (isCopy, content): (Bool, Secret.Record)
        switch try provider.exporter.exportability(of: Credential(enrollment, secret: half)) {
        case .copies(let given): (isCopy, content) = (true, given)
        case .moves(let given): (isCopy, content) = (false, given)
        case .notExportable(let reason): return stays(reason)
        }
        return (
            .init(enrollment: shown, result: isCopy ? .copied : .moved),
            .init(
                enrollment: enrollment, isCopy: isCopy, content: content, past: document.past())
        )
    }
}

extension EnrollmentDocument {
    /// Throws `interrupted` unless no answer is on its way, as far as this version can read.
    fileprivate mutating func requireSettled() throws(PushError) {
        // A newer version may be sending what this one can't read.
        let (rows, unreadable) = readRows(waiting: true)
        guard unreadable == 0, rows.allSatisfy({ $0.decided == nil }) else {
            throw PushError(
                .interrupted,
                "Nobody knows yet what came of an answer: let it be sent, and export again.")
        }
    }
}
