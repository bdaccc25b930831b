import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What an announcement is of: the provider's half of it.
enum AnnouncedForm {
    /// An operation that the server has; the challenge's name is all it takes to ask for it. The
    /// code is the newest that was scanned for it and not used yet.
    case operation(ReceivedProximityCode?)
    /// An offline operation: the text of its QR code, which is verified again each time it's read.
    case offline(String)

    /// Reads what ``context`` wrote.
    init(_ context: Secret) throws(PushError) {
        let record = try Secret.Record(reading: context)
        switch record.fields["form"]?.string {
        case "operation": self = .operation(ReceivedProximityCode(record))
        case "offline":
            guard let text = record.secrets.first else { throw Self.damaged }
            self = .offline(text.copiedText())
        default: throw Self.damaged
        }
    }

    /// The form as an announcement carries it.
    var context: Secret {
        switch self {
        case .operation(let code):
            code?.context ?? Secret.Record(fields: ["form": "operation"]).sealed
        case .offline(let text):
            Secret.Record(fields: ["form": "offline"], secrets: [Secret(text.utf8)]).sealed
        }
    }

    private static let damaged = PushError(.malformed, "An announcement's context is damaged.")
}

extension Announcement {
    /// The provider's half of it.
    var note: AnnouncedForm {
        get throws(PushError) { try context(AnnouncedForm.init) }
    }
}

/// An answer as the core carries it from `prepare` to `send`.
enum PreparedAnswer {
    /// A request to send.
    case request(Request)
    /// A code that the user copies.
    case code(Secret)
    /// Nothing: a no to an offline operation.
    case nothing

    /// A request whose body is made, and signed already if that took the user.
    struct Request: Sendable {
        /// Whether it approves.
        let approves: Bool

        /// The very bytes that are sent.
        let body: Data

        /// The header, of two factors; `nil` if possession alone signs, again each time it is sent.
        let header: String?
    }

    private enum Kind: String {
        case approve, reject, code, nothing
    }

    /// Reads what ``sealed`` wrote.
    init(reading sealed: Secret) throws(PushError) {
        let record = try Secret.Record(reading: sealed)
        let secrets = record.secrets
        switch record.fields["kind"]?.string.flatMap(Kind.init(rawValue:)) {
        case let kind? where kind == .approve || kind == .reject:
            guard 1...2 ~= secrets.count else { throw Self.damaged }
            let header = secrets.count == 2 ? secrets[1] : nil
            self = .request(
                Request(
                    approves: kind == .approve, body: secrets[0].withBytes { Data($0) },
                    header: header?.copiedText()))
        case .code:
            guard secrets.count == 1 else { throw Self.damaged }
            self = .code(secrets[0])
        case .nothing: self = .nothing
        default: throw Self.damaged
        }
    }

    /// The answer as the core keeps it.
    var sealed: Secret {
        switch self {
        case .request(let request):
            let header = request.header.map { [Secret($0.utf8)] } ?? []
            return record(request.approves ? .approve : .reject, [Secret(request.body)] + header)
        case .code(let code): return record(.code, [code])
        case .nothing: return record(.nothing, [])
        }
    }

    private func record(_ kind: Kind, _ secrets: [Secret]) -> Secret {
        Secret.Record(fields: ["kind": .string(kind.rawValue)], secrets: secrets).sealed
    }

    private static let damaged = PushError(.malformed, "A kept answer is damaged.")
}
