import Foundation
import PushTesting

/// A login that was started on a page.
struct ConsoleLogin: Sendable {
    let id: SimulatedLogin.ID
    let vendor: String
    let user: String
    let kind: SimulatedLogin.Kind
    /// The number that its page shows, if it shows one.
    let shown: String?
    let started: Date
    var status = SimulatedLogin.Status.waiting
    /// Whether it was taken back on its page.
    var isTakenBack = false

    /// The same for the one who logs in.
    var invitation: String { status == .waiting ? "waiting for \(user)’s phone" : words }

    var words: String {
        switch status {
        case .failed where isTakenBack: "taken back"
        case .waiting: "waiting for the device"
        case .approved: "logged in"
        case .denied: "denied"
        case .failed: "failed"
        case .expired: "expired"
        @unknown default: "in a state newer than this page"
        }
    }
}

/// A push that a simulator sent, or would have sent, and what became of it.
struct ConsolePush: Sendable {
    let number: Int
    let vendor: String
    /// Whose it is; `nil` if that can't be told.
    let user: String?
    let time: Date
    let token: String
    let size: Int
    /// `nil` while it is on its way.
    var fate: PushFate?
    /// What it says, as JSON; kept where there is no push service, so that it can be handed on by hand.
    var content: String?

    var words: String { fate?.words ?? "on its way" }

    /// Why nobody took it; `nil` if it was taken, or may still be.
    var reason: PushFate.Reason? { fate?.reason }
}

/// Something that happened, for the log.
struct ConsoleEvent: Sendable {
    let number: Int
    let time: Date
    let vendor: String
    /// Whom it is about; `nil` for all, or nobody who is known.
    let user: String?
    let text: String
    /// The request and the reply that it was, if it was one, redacted.
    let exchange: ConsoleExchange?
}

/// What spoils the next push.
enum PushFault: String, CaseIterable, Sendable {
    case drop
    case delay
    case duplicate
    case forge

    var words: String {
        switch self {
        case .drop: "lose it"
        case .delay: "hold it for 5 seconds"
        case .duplicate: "send it twice"
        case .forge: "change a character of it"
        }
    }
}
