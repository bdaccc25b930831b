import PushCore

/// What an announcement is of: the provider's half of it.
enum AnnouncedForm {
    /// An operation that the server has; the challenge's name is all it takes to ask for it. The code
    /// is the newest that was scanned for it and not used yet.
    case operation(ReceivedProximityCode?)
    /// An offline operation: the text of its QR code, which is verified anew each time it's read.
    case offline(String)

    /// Reads what ``context`` wrote.
    init(_ context: Secret) throws(PushError) {
        let record = try SecretRecord(reading: context)
        switch record.fields["form"]?.string {
        case "operation": self = .operation(ReceivedProximityCode(context))
        case "offline":
            guard let text = record.secrets.first else { throw Self.damaged }
            self = .offline(text.withBytes { String(decoding: $0, as: UTF8.self) })
        default: throw Self.damaged
        }
    }

    /// The form as an announcement carries it.
    var context: Secret {
        switch self {
        case .operation(let code):
            code?.context ?? SecretRecord(fields: ["form": "operation"]).sealed
        case .offline(let text):
            SecretRecord(fields: ["form": "offline"], secrets: [Secret(text.utf8)]).sealed
        }
    }

    private static let damaged = PushError(.malformed, "An announcement's context is damaged.")
}
