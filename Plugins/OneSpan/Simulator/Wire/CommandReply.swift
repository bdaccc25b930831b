#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What a command is answered by.
struct CommandReply {
    let command: [UInt8]
    /// Set if the command is an error.
    var refusal: CommandRefusal?
}

/// Why a command isn't done.
///
/// Numbers and texts are this project's own; the numbers lie in the ranges that OneSpan documents
/// for its categories.
struct CommandRefusal: Error {
    let code: Int32
    let message: String
    var payload: String?

    init(_ code: Int32, _ message: String, payload: String? = nil) {
        self.code = code
        self.message = message
        self.payload = payload
    }

    static let internalError = CommandRefusal(-1000, "internal server error")
    static let invalidInput = CommandRefusal(-1001, "input validation failed")
    static let outOfStep = CommandRefusal(-1001, "command out of step")
    static let notUnderstood = CommandRefusal(-1002, "command not understood")
    static let unknownUser = CommandRefusal(-1100, "unknown user")
    static let userLocked = CommandRefusal(-1101, "user locked")
    static let userDisabled = CommandRefusal(-1102, "user disabled")
    static let unknownRegistration = CommandRefusal(-1200, "unknown registration")
    static let voidRegistration = CommandRefusal(-1200, "void or used registration")
    static let notConfirmed = CommandRefusal(-1201, "instance not confirmed")
    static let expiredRegistration = CommandRefusal(-1202, "registration expired")
    static let unknownDevice = CommandRefusal(-1300, "unknown device")
    static let removedDevice = CommandRefusal(-1300, "removed device")
    static let cannotDecrypt = CommandRefusal(-1301, "cannot decrypt")
    static let unknownRequest = CommandRefusal(-1400, "request not found")
    static let wrongResponse = CommandRefusal(-1600, "wrong response")
    static let wrongTransactionResponse = CommandRefusal(-1700, "wrong transaction response")

    static func wrongPassword(attemptsLeft: Int) -> CommandRefusal {
        CommandRefusal(-1201, "password proof failed", payload: "\(attemptsLeft)")
    }

    /// A counter that isn't higher than the highest one that was accepted.
    static func replay(highest: UInt64) -> CommandRefusal {
        CommandRefusal(-1302, "counter already used", payload: highest.bytes.hex)
    }

    /// The category that OneSpan documents for the number.
    var category: String {
        switch code {
        case -1199 ... -1100: "user"
        case -1299 ... -1200: "provisioning"
        case -1399 ... -1300: "authenticator"
        case -1499 ... -1400: "session"
        case -1599 ... -1500: "risk"
        case -1699 ... -1600: "authentication"
        case -1799 ... -1700: "transaction"
        default: "system"
        }
    }

    /// The status of the HTTP reply that carries it.
    var status: Int {
        switch code {
        case -1001, -1002: 400
        case -1000: 500
        default: 409
        }
    }

    /// The fields of an error command; a sealed one also says which counter it answers.
    func body(answering command: ReceivedCommand?, isSealed: Bool) -> Body {
        var body = Body([
            .returnCode: UInt32(bitPattern: code).bytes, .readableMessage: Array(message.utf8),
            .errorType: Array("GENERIC".utf8), .flowType: [command?.type.flow ?? 0],
            .previousCommandType: [command?.type.rawValue ?? 0],
            .commandSessionID: command?.flow ?? [UInt8](repeating: 0, count: 16),
        ])
        body[.customPayload] = payload.map { Array($0.utf8) }
        if isSealed { body[.inReplyTo] = command?.counter.bytes }
        return body
    }
}

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
