#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// How enrollments leave this device.
///
/// One write marks an enrollment as moved away and closes what is open of it, before anybody gets what
/// leaves: an answer that another process decides meanwhile loses its compare-and-set. A process that is
/// killed then leaves an enrollment that is marked, and no file; the next export gives it again.
struct Exports: Sendable {
    let core: AuthenticatorCore
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
                guard let hand = try await core.documents.read(id) else { continue }
                let leaving = try preview(hand)
                try leaving.content?.checkReadable()
                entries.append(leaving.entry)
            } catch {
                entries.append(await failed(id, error))
            }
        }
        return entries
    }

    /// What would become of an enrollment. What of it is behind a locked guard isn't in it.
    private func preview(_ hand: DocumentInHand) throws(PushError) -> Leaving {
        let provider = try core.provider(hand.id.provider)
        return try hand.look { (document) throws(PushError) in
            try document.requireSettled()
            return try Self.leaving(&document, by: provider)
        }
    }

    /// One that nothing is known of but its name, if its record is damaged.
    private func failed(
        _ id: Enrollment.ID, _ error: PushError
    ) async -> EnrollmentExport.Entry {
        let known = try? await core.documents.read(id)?.enrollment
        let unknown = Enrollment(
            id: id, state: .needsReenrollment, created: core.environment.clock.now)
        return .init(known ?? unknown, .failed(error.attributed(to: id.provider)))
    }

    /// Lets an enrollment leave, opened; `nil` if it isn't there any more.
    ///
    /// - Throws: `interrupted` if nobody knows what came of an answer, `invalidArgument` if the export is
    ///   full, `malformed` if nobody could read what would leave, what a guard throws that isn't
    ///   opened. Nothing has changed then.
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
                return (leaving, try document.closeAll(.cancelled, by: rules))
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
        let half = try provider.guarded?.open(in: &document).half?.sealed ?? document.credential
        let (result, content) = try leaving(
            document.head.enrollment, half, document.past(), by: provider.exporter)
        return (.init(shown, result), content)
    }

    private static func leaving(
        _ enrollment: Enrollment, _ credential: Secret, _ past: PastChallenges,
        by exporter: any EnrollmentExporter
    ) throws(PushError) -> (result: EnrollmentExport.Result, content: ExportContent.Entry?) {
        var enrollment = enrollment
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
        switch try exporter.exportability(of: Credential(enrollment, secret: credential)) {
        case .copies(let content):
            return (
                .copied, .init(enrollment: enrollment, isCopy: true, content: content, past: past)
            )
        case .moves(let content):
            return (
                .moved, .init(enrollment: enrollment, isCopy: false, content: content, past: past)
            )
        case .notExportable(let reason): return (.notExportable(reason), nil)
        }
    }
}

extension EnrollmentDocument {
    /// Whether no answer is on its way, as far as this version can read.
    ///
    /// - Throws: ``PushError`` with the code `interrupted` if one is.
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
