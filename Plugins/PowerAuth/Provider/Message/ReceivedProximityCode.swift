import PushCore

/// A proximity code on its way from the message that carried it to the approval.
struct ReceivedProximityCode: Sendable {
    /// The operation.
    let operation: String

    /// The time-based code.
    let otp: Secret

    /// How it came.
    let type: PowerAuthProximityCheck.Kind

    /// When it came, by this device's monotonic time, which a restart of the device begins again.
    let received: Duration

    init(_ link: ProximityLink, at received: Duration) {
        operation = link.operation
        otp = link.otp
        type = link.type
        self.received = received
    }

    /// Reads what ``context`` wrote; `nil` if it is something else.
    init?(_ context: Secret) {
        guard let record = try? SecretRecord(reading: context), record.secrets.count == 1,
            let operation = record.fields["oid"]?.string,
            let type = record.fields["type"]?.string
                .flatMap(PowerAuthProximityCheck.Kind.init(rawValue:)),
            let milliseconds = record.fields["received"]?.integer
        else { return nil }
        self.operation = operation
        self.type = type
        otp = record.secrets[0]
        received = .milliseconds(milliseconds)
    }

    /// The code as a hint carries it, and as the ledger keeps it for its operation.
    var context: Secret {
        let milliseconds =
            received.components.seconds * 1000
            + received.components.attoseconds / 1_000_000_000_000_000
        return SecretRecord(
            fields: [
                "form": "operation", "oid": .string(operation), "type": .string(type.rawValue),
                "received": .number(.init(milliseconds)),
            ], secrets: [otp]
        ).sealed
    }
}
