import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What the ledger keeps of a request beside its notice: the command that leads to it, and which
/// workflow it is.
///
/// Executing the command tells everything else again.
struct RequestNote {
    let command: OrchestrationCommand
    let kind: RequestKind

    init(_ command: OrchestrationCommand, _ kind: RequestKind) {
        self.command = command
        self.kind = kind
    }

    init(reading sealed: Secret) throws(PushError) {
        let record = try Secret.Record(reading: sealed)
        guard let isTransaction = record.fields["transaction"]?.bool, record.secrets.count == 1
        else { throw PushError(.malformed, "What was kept of a request is damaged.") }
        command = try OrchestrationCommand(reading: record.secrets[0])
        kind = isTransaction ? .transaction : .authentication
    }

    var sealed: Secret {
        Secret.Record(
            fields: ["transaction": .bool(kind == .transaction)], secrets: [command.sealed]
        ).sealed
    }

    /// The run that its commands belong to.
    var run: WorkflowRun { .request(command) }
}

extension Announcement {
    /// The provider's half of it.
    var note: RequestNote {
        get throws(PushError) { try context(RequestNote.init(reading:)) }
    }
}

extension OrchestrationCommand {
    /// Reads a command that was kept.
    init(reading sealed: Secret) throws(PushError) {
        try self.init(sealed.withBytes { String(decoding: $0, as: UTF8.self) })
    }

    /// The command, to be kept.
    var sealed: Secret { Secret(hex.utf8) }
}

/// An answer as the ledger keeps it: the sealed command, and what it says.
///
/// The command holds no proof of the password that could be tested offline: it is sealed to the
/// server's key as well.
struct AnswerRecord {
    let command: OrchestrationCommand
    let isApproved: Bool

    init(command: OrchestrationCommand, isApproved: Bool) {
        self.command = command
        self.isApproved = isApproved
    }

    init(_ answer: Answer) throws(PushError) {
        let json = try answer.bytes.withBytes { (bytes) throws(PushError) in
            try JSON(parsing: bytes)
        }
        guard let text = json["command"]?.string, let isApproved = json["approved"]?.bool else {
            throw PushError(.malformed, "A kept answer is damaged.")
        }
        command = try OrchestrationCommand(text)
        self.isApproved = isApproved
    }

    var answer: Answer {
        let json: JSON = ["approved": .bool(isApproved), "command": .string(command.hex)]
        return Answer(Secret(json.utf8), kept: .whole)
    }
}
