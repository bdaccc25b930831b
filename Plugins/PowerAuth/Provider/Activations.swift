import PushCore

/// All that the core, and the vendor's door, ask of activations: it knows what they are for, and
/// judges what the server said. How the server is asked is the channel's.
///
/// The caller holds the enrollment's turn, except to verify a message and to make an offer.
struct Activations: Sendable {
    let channel: PowerAuthChannel

    var configuration: PowerAuthConfiguration { channel.configuration }
    var environment: Environment { channel.environment }
    var vault: Vault { channel.vault }

    /// Whether biometry was set up for an activation.
    func hasBiometry(_ enrollment: Enrollment.ID) async throws(PushError) -> Bool {
        let record = try PowerAuthRecord(try await vault.existing(enrollment))
        return record.locked?.biometry != nil
    }
}
