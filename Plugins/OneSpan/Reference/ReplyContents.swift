import PushCore
import PushOneSpan

/// What a challenge asks to display, and its digest.
struct ReceivedDisplay: Sendable {
    /// What of it can be read; a text that isn't UTF-8 is mended for reading.
    let content: DisplayContent

    /// Why it can't be approved; `nil` if all of it was read.
    let problem: DisplayProblem?

    /// SHA-256 of the form and the data, which the answer repeats: what the user saw, or what can
    /// only be rejected.
    let digest: [UInt8]

    init(_ body: CommandBody) throws(OrchestrationError) {
        self.init(try body.number(.displayForm), body[.displayData] ?? [])
    }

    init(_ form: UInt8, _ data: [UInt8]) {
        (content, problem) =
            switch form {
            case 0: (.none, data.isEmpty ? nil : .unreadable)
            case 1: Self.fields(data)
            case 2: Self.text(data)
            default: (.none, .unknownForm)
            }
        digest = sha256([form], data)
    }

    private static func text(_ data: [UInt8]) -> (DisplayContent, DisplayProblem?) {
        guard !data.isEmpty else { return (.none, .unreadable) }
        let problem: DisplayProblem? =
            CommandBody.text(data) == nil ? .unreadable : data.count > 4_096 ? .tooLong : nil
        return (.text(String(decoding: data, as: UTF8.self)), problem)
    }

    private static func fields(_ data: [UInt8]) -> (DisplayContent, DisplayProblem?) {
        var rest = data.dropFirst()
        let count = Int(data.first ?? 0)
        var problem: DisplayProblem? = count == 0 ? .unreadable : count > 16 ? .tooMany : nil
        var fields: [DisplayContent.Field] = []
        while fields.count < count {
            guard let key = counted(&rest), let value = counted(&rest) else {
                problem = problem ?? .unreadable
                rest = []
                break
            }
            problem = problem ?? Self.problem(of: key, value)
            fields.append(
                DisplayContent.Field(
                    String(decoding: key, as: UTF8.self), String(decoding: value, as: UTF8.self)))
        }
        if !rest.isEmpty { problem = problem ?? .unreadable }
        return (fields.isEmpty ? .none : .fields(fields), problem)
    }

    private static func problem(
        of key: ArraySlice<UInt8>, _ value: ArraySlice<UInt8>
    ) -> DisplayProblem? {
        if CommandBody.text(key) == nil || CommandBody.text(value) == nil { return .unreadable }
        if key.isEmpty { return .unlabeled }
        return key.count > 64 || value.count > 256 ? .tooLong : nil
    }

    private static func counted(_ rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard rest.count >= 2 else { return nil }
        let length = Int(UInt16(bigEndian: rest.prefix(2)))
        rest = rest.dropFirst(2)
        guard length <= rest.count else { return nil }
        defer { rest = rest.dropFirst(length) }
        return rest.prefix(length)
    }
}

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

/// What the server says of a session.
enum SessionState: UInt8, Sendable {
    case unknown = 0
    case pending = 1
    case accepted = 2
    case refused = 3
    case expired = 4
    case failed = 5

    /// Why a request that this device didn't decide is over.
    var outdated: SessionOutdatedReason {
        switch self {
        case .accepted: .accepted
        case .refused: .refused
        case .expired: .expired
        case .unknown, .pending, .failed: .unknown
        }
    }
}
