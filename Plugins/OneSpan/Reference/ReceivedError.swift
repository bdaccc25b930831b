import PushCore
import PushOneSpan

/// An error that came in place of a reply.
struct ReceivedError: Sendable {
    static let replay: Int32 = -1302
    static let removedDevice: Int32 = -1300

    let serverError: ServerError

    init(_ body: CommandBody) throws(OrchestrationError) {
        let payload = try body[.customPayload].map { (_) throws(OrchestrationError) in
            try body.text(.customPayload)
        }
        serverError = ServerError(
            try body.number(.returnCode), try body.text(.readableMessage), customPayload: payload,
            errorType: try body.text(.errorType), isAuthenticated: body[.inReplyTo] != nil)
    }

    /// The highest counter that the server saw of this device, where it refused a lower one.
    var highestCounter: UInt64? {
        guard serverError.returnCode == Self.replay, let digits = serverError.customPayload,
            digits.utf8.count == 16, let command = try? OrchestrationCommand(digits)
        else { return nil }
        return UInt64(bigEndian: command.bytes)
    }
}

/// When a request or a registration was made and when it ends, by the server's clock.
struct ReceivedValidity: Sendable {
    /// The end of the year 9999: what lies behind it isn't a time that anyone means.
    private static let limit: UInt64 = 253_402_300_799_999

    let issuedAt: UInt64
    let notAfter: UInt64

    init(_ body: CommandBody) throws(OrchestrationError) {
        issuedAt = try body.number(.issuedAt)
        notAfter = try body.number(.notAfter)
        guard issuedAt <= notAfter, notAfter <= Self.limit else { throw CommandEnvelope.malformed }
    }

    /// Its length, which counts from arrival.
    var duration: Duration { .milliseconds(Int64(clamping: notAfter - issuedAt)) }
}
