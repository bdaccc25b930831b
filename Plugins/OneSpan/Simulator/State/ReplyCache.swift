#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The replies to the latest commands, so that the same bytes get the same reply.
struct ReplyCache {
    private struct Entry {
        let reply: CommandReply
        /// `nil`: until the device's next accepted command.
        let expiry: Date?
        let device: [UInt8]
    }

    private var entries: [[UInt8]: Entry] = [:]

    func reply(to command: [UInt8], now: Date) -> CommandReply? {
        guard let entry = entries[command], entry.expiry.map({ now <= $0 }) ?? true else {
            return nil
        }
        return entry.reply
    }

    mutating func keep(_ reply: CommandReply, for command: ReceivedCommand, until expiry: Date?) {
        entries[command.bytes] = Entry(reply: reply, expiry: expiry, device: command.principal)
    }

    /// A device's command was accepted.
    mutating func advance(_ device: [UInt8]) {
        entries = entries.filter { $0.value.expiry != nil || $0.value.device != device }
    }

    mutating func forget(before now: Date) {
        entries = entries.filter { $0.value.expiry.map { now <= $0 } ?? true }
    }
}

/// What a command is answered by.
struct CommandReply {
    let command: [UInt8]
    /// Set if the command is an error.
    var refusal: CommandRefusal?
}
