public import PushCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// What an app can do with an activation besides answering operations.
///
/// Each call takes the enrollment's turn, so it waits for an answer that is on its way.
public struct PowerAuthManager: Sendable {
    /// The activation.
    public let enrollment: Enrollment.ID

    let activations: Activations
    private let authenticator: PushAuthenticator

    /// Creates a manager.
    ///
    /// - Parameters:
    ///   - authenticator: The app's authenticator.
    ///   - provider: The plugin, as the authenticator's registry holds it.
    ///   - enrollment: The activation.
    /// - Throws: `PushError` with the code `invalidArgument` if it's another provider's.
    public init(
        _ authenticator: PushAuthenticator, provider: PowerAuth, enrollment: Enrollment.ID
    ) throws(PushError) {
        guard enrollment.provider == provider.id else {
            throw PushError(
                .invalidArgument, "It is another provider's.", provider: provider.id)
        }
        self.authenticator = authenticator
        activations = provider.activations
        self.enrollment = enrollment
    }

    /// The digits that the user compares with the back office before an activation is committed.
    public func fingerprint() async throws(PushError) -> String {
        try PowerAuthRecord(try await activations.vault.existing(enrollment)).fingerprint
    }

    /// Asks the server for the activation's status, and writes down what follows from it.
    public func status() async throws(PushError) -> PowerAuthActivationStatus {
        try await turn { (channel) async throws(PushError) -> PowerAuthActivationStatus in
            PowerAuthActivationStatus(try await channel.status(of: enrollment))
        }
    }

    /// Asks the server for its time. What is sealed from then on, and what a token proves, carries
    /// it, however wrong this device's clock is.
    @discardableResult
    public func synchronizeTime() async throws(PushError) -> Date {
        try await turn { (channel) async throws(PushError) -> Date in
            let time = try await channel.askTime()
            await channel.followTime(of: enrollment)
            return time
        }
    }

    /// Removes the activation from this device alone: the server isn't told, and the user isn't asked.
    ///
    /// `PushAuthenticator.remove` ends it at the server, too.
    public func removeLocally() async throws(PushError) {
        _ = try await activations.vault.existing(enrollment)
        try await authenticator.remove(enrollment, from: .device)
    }

    func turn<Value: Sendable>(
        _ body: @Sendable (PowerAuthChannel) async throws(PushError) -> Value
    ) async throws(PushError) -> Value {
        try await authenticator.turn(of: enrollment) { () async throws(PushError) -> Value in
            try await body(activations.channel)
        }
    }
}
