import Foundation
import PushCore

/// What of the store is damaged, and what of a vendor's list was passed over, as the authenticator
/// finds it.
///
/// An actor can't hear an observation, which comes at once, so a lock guards what changes, which is
/// why `@unchecked Sendable` is safe.
final class Damage: PushObserver, @unchecked Sendable {
    /// Something that can't be read any more.
    enum Item: Hashable {
        /// The record of an enrollment, with all that was kept of its challenges.
        case enrollment(Enrollment.ID)
        /// What was kept of one of an enrollment's challenges, or of more.
        case challenge(Enrollment.ID)
        /// The newest device token.
        case deviceToken
        /// An entry of a vendor's list that was refused, and why.
        case listed(Enrollment.ID, PushError.Code)
    }

    private let lock = NSLock()
    private var found: [Item] = []
    private var untold: [Item] = []

    /// What was found until now, each once.
    var items: [Item] { lock.withLock { found } }

    /// What was found since the last call.
    func take() -> [Item] {
        lock.withLock {
            defer { untold = [] }
            return untold
        }
    }

    func observe(_ observation: PushObservation) {
        if case .refused(let code) = observation.kind, let id = observation.enrollment,
            ExitStatus(code) == .untrusted
        {
            return note(.listed(id, code))
        }
        guard case .damaged(let record) = observation.kind else { return }
        switch (record, observation.enrollment) {
        case (.credential, let id?): note(.enrollment(id))
        case (.challenge, let id?): note(.challenge(id))
        case (.deviceToken, _): note(.deviceToken)
        case (.credential, nil), (.challenge, nil), (.claim, _): break
        @unknown default: break
        }
    }

    func note(_ item: Item) {
        lock.withLock {
            guard !found.contains(item) else { return }
            found.append(item)
            untold.append(item)
        }
    }
}

extension Damage.Item {
    /// What it is, and what to do.
    var failure: Failure { Failure(status, text, advice: advice) }

    /// What the process exits with, if nothing else went wrong.
    var status: ExitStatus {
        if case .listed(_, let code) = self { return ExitStatus(code) }
        return .store
    }

    /// Whether a challenge that can't be found may have been in it.
    var hidesChallenges: Bool {
        switch self {
        case .enrollment, .challenge: true
        case .deviceToken, .listed: false
        }
    }

    /// Whose it is; `nil` if it is the device's.
    var enrollment: Enrollment.ID? {
        switch self {
        case .enrollment(let id), .challenge(let id), .listed(let id, _): id
        case .deviceToken: nil
        }
    }

    var text: String {
        switch self {
        case .enrollment(let id):
            "The record of enrollment \(Abbreviation(id).text) (\(id.provider.rawValue)) is damaged."
        case .challenge(let id):
            "What was kept of a challenge of enrollment \(Abbreviation(id).text) is damaged."
        case .deviceToken: "The newest device token is damaged."
        case .listed(let id, let code):
            "An entry of the vendor's list for enrollment \(Abbreviation(id).text) was refused: \(code)."
        }
    }

    var advice: String {
        switch self {
        case .enrollment(let id):
            "`pushauth remove \(Abbreviation(id).text)` takes it away, then the account can be enrolled "
                + "again. `pushauth doctor` looks at the store."
        case .challenge(let id):
            "Nothing can answer it here any more; `pushauth remove \(Abbreviation(id).text)` takes it "
                + "away with its enrollment. `pushauth doctor` looks at the store."
        case .deviceToken: "`pushauth token set` or `pushauth listen` gives it again."
        case .listed:
            "Nothing of it was believed; the list's other entries count. Ask who runs the server."
        }
    }
}
