import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension XignIn {
    /// What a message means to the core, which judges expiry and replay.
    func event(_ message: XignInMessage) -> PushEvent {
        guard configuration.supportedAPI.canExecute(message.minimumAPI) else {
            return incompatible(message)
        }
        switch message.kind {
        case .unknown: return incompatible(message)
        case .cancel(let reason):
            return .withdrawal(
                Withdrawal(
                    message.id, reason.withdrawal, isIgnorable: message.isIgnorable,
                    expiry: message.expiry + Self.reserve))
        case .authentication:
            let notice = Notice(
                id: message.id, title: message.title.map { Self.cut($0, 120) },
                body: message.text.map { Self.cut($0, 500) }, priority: message.priority,
                isIgnorable: message.isIgnorable, issued: message.issued, expiry: message.expiry,
                proof: .signature)
            let note = ProcessNote(announced: message.context)
            return .notice(Announcement(notice, context: note.sealed))
        }
    }

    /// A cancel that only a newer version understands in full ends what it names all the same.
    private func incompatible(_ message: XignInMessage) -> PushEvent {
        let withdraws = if case .cancel = message.kind { true } else { false }
        return .incompatible(
            Incompatible(
                message.id, kind: message.kindName, minimumVersion: message.minimumAPI,
                isIgnorable: message.isIgnorable, withdraws: withdraws,
                expiry: message.expiry))
    }

    /// How long after a process's end a message about it may still be on its way.
    private static let reserve = 600.0

    /// What is cut says so.
    private static func cut(_ text: String, _ length: Int) -> String {
        let scalars = text.unicodeScalars
        return scalars.count <= length ? text : String(scalars.prefix(length - 1)) + "…"
    }
}

extension XignCancelReason {
    /// The same in the core's terms.
    var withdrawal: Withdrawal.Reason {
        switch self {
        case .processedElsewhere: .elsewhere
        case .aborted: .cancelled
        case .completed: .finished
        case .expired: .expired
        }
    }

    /// Reads the core's word.
    init(_ reason: Withdrawal.Reason) {
        self =
            switch reason {
            case .elsewhere: .processedElsewhere
            case .finished: .completed
            case .expired: .expired
            default: .aborted
            }
    }
}
