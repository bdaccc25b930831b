import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What this process shows of challenges: the user is told of each once, by a notification of the app's,
/// by the extension, or on the screen.
actor ShownChallenges {
    private let authenticator: PushAuthenticator
    private let board: any NotificationBoard
    private let policy: NotificationPolicy

    /// Of what the user has been told, or is being told now.
    private var told: [Challenge.ID: Task<Bool, Never>] = [:]

    /// Of those the ones that the system or the extension shows, unless the push comes to the app.
    private var left: Set<Challenge.ID> = []

    /// How many pushes are being read that are shown elsewhere.
    private var underway = 0
    private var held: [AuthenticatorUpdate] = []

    init(
        _ authenticator: PushAuthenticator, on board: any NotificationBoard,
        by policy: NotificationPolicy
    ) {
        self.authenticator = authenticator
        self.board = board
        self.policy = policy
    }

    /// A push is being read that is shown elsewhere. What it announces is told before it's known that this
    /// was it.
    func beginElsewhere() { underway += 1 }

    /// The push was read, and what is shown elsewhere is noted.
    func endElsewhere() async {
        underway -= 1
        guard underway == 0 else { return }
        let updates = held
        held = []
        for update in updates { await show(update) }
    }

    /// The user sees it otherwise.
    func note(_ id: Challenge.ID?) {
        if let id { told[id] = Task { true } }
    }

    /// The system shows the push.
    func leave(_ ids: [Challenge.ID]) { left.formUnion(ids) }

    /// The push has come to the app, so nobody has shown it: what was left is shown now, aloud.
    func showLeft(_ id: Challenge.ID) async {
        guard left.remove(id) != nil else { return }
        told[id] = nil
        await board.remove([id.notificationIdentifier])
        await tell(id) { () async throws(PushError) in
            try await self.authenticator.present(id, on: self.board, by: self.policy)
        }
    }

    /// Shows an update, and returns when it's shown. What isn't shown is no reason to end: the app's own
    /// list has it, too.
    ///
    /// - Parameters:
    ///   - update: The update.
    ///   - isHere: Whether it's certain that nothing else shows it. Else it waits for those pushes that are
    ///     being read.
    ///   - hasRung: Whether the system has shown the push.
    func show(
        _ update: AuthenticatorUpdate, isHere: Bool = false, hasRung: Bool = false
    ) async {
        guard case .received(let reception) = update, case .notice(let notice, _) = reception.kind
        else {
            forget(update)
            try? await present(update)
            return
        }
        guard underway == 0 || isHere else { return held.append(update) }
        if reception.isNew {
            await tell(notice.id) { () async throws(PushError) in
                try await self.present(update, hasRung: hasRung)
            }
        } else if told[notice.id] == nil {
            try? await present(update)
        }
    }

    /// Shows without a sound what is on record, if this process hasn't told the user of it: another one
    /// may have ended between its record and its notification.
    func showQuietly(_ id: Challenge.ID) async {
        await tell(id) { () async throws(PushError) in
            try await self.authenticator.present(id, on: self.board, by: self.policy.quiet)
        }
    }

    private func present(
        _ update: AuthenticatorUpdate, hasRung: Bool = false
    ) async throws(PushError) {
        try await authenticator.present(update, on: board, by: hasRung ? policy.quiet : policy)
    }

    private func tell(
        _ id: Challenge.ID, _ body: @escaping @Sendable () async throws(PushError) -> Void
    ) async {
        let telling = told[id] ?? Task { (try? await body()) != nil }
        told[id] = telling
        if await !telling.value, told[id] == telling { told[id] = nil }
    }

    private func forget(_ update: AuthenticatorUpdate) {
        let isOver: (Challenge.ID) -> Bool
        switch update {
        case .outcome(let id, let outcome) where !outcome.mayAskAgain: isOver = { $0 == id }
        case .received(let reception): isOver = { $0 == reception.challenge }
        case .removed(let enrollment): isOver = { $0.enrollment == enrollment }
        case .outcome, .enrollment: return
        }
        told = told.filter { !isOver($0.key) }
        left = left.filter { !isOver($0) }
    }
}

extension Outcome {
    /// Whether the challenge may still be open.
    fileprivate var mayAskAgain: Bool {
        switch self {
        case .notTaken(let refusal): refusal.mayRetry
        case .verifyAgain, .unknown: true
        case .delivered, .expired, .answeredElsewhere, .cancelled, .code, .ended: false
        }
    }
}

extension Receipt {
    /// What waits for an answer.
    var open: [Challenge.ID] { notices.map(\.notice.id) }

    /// The one that the push's own notification is about. The app and the extension must choose the same,
    /// though only one of them finds it new.
    var newest: Challenge.ID? {
        notices.map(\.notice)
            .max { $0.issued ?? .distantPast < $1.issued ?? .distantPast }?.id
    }

    /// The one that a tap opens, if it's clear which: the only one, or the only new one.
    var only: Challenge.ID? {
        let new = notices.filter(\.isNew)
        if new.count == 1 { return new.first?.notice.id }
        return open.count == 1 ? open.first : nil
    }

    private var notices: [(notice: Notice, isNew: Bool)] {
        compactMap { reception in
            guard case .notice(let notice, _) = reception.kind else { return nil }
            return (notice, reception.isNew)
        }
    }
}

extension PushMessage {
    /// Whether the system shows it by itself: it has a text to show.
    var hasVisibleText: Bool {
        switch self["aps"]?["alert"] {
        case .string(let text)?: !text.isEmpty
        case .object(let alert)?:
            ["title", "subtitle", "body", "title-loc-key", "subtitle-loc-key", "loc-key"].contains {
                alert[$0]?.string?.isEmpty == false
            }
        default: false
        }
    }

    /// Whether the system gives it to the app's extension before it shows it.
    var runsServiceExtension: Bool {
        hasVisibleText && self["aps"]?["mutable-content"]?.integer == 1
    }
}
