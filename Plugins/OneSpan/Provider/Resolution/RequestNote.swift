import PushCore

/// What the ledger keeps of a request beside its notice: the command that leads to it, and which
/// workflow it is.
///
/// Whatever else is known of a request is known again by executing the command.
struct RequestNote {
    let command: OrchestrationCommand
    let kind: WorkflowKind

    init(_ command: OrchestrationCommand, _ kind: WorkflowKind) {
        self.command = command
        self.kind = kind
    }

    init(reading sealed: Secret) throws(PushError) {
        let record = try SecretRecord(reading: sealed)
        guard let isTransaction = record.fields["transaction"]?.bool, record.secrets.count == 1
        else { throw PushError(.malformed, "What was kept of a request is damaged.") }
        command = try OrchestrationCommand(reading: record.secrets[0])
        kind = isTransaction ? .transaction : .authentication
    }

    var sealed: Secret {
        SecretRecord(
            fields: ["transaction": .bool(kind == .transaction)], secrets: [command.sealed]
        ).sealed
    }

    /// The run that its commands belong to.
    var run: WorkflowRun { .request(command) }
}

extension Announcement {
    /// The provider's half of it.
    var note: RequestNote {
        get throws(PushError) { try RequestNote(reading: context) }
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
