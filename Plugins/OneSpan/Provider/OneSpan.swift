public import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// OneSpan's Orchestration SDK and Trusted Identity platform.
///
/// Orchestration commands travel from the app to the customer application server, on to the
/// platform, and back until a workflow ends. What is inside them belongs to an
/// ``OrchestrationEngine``; this plugin has the workflows, the rules and the relay.
public struct OneSpan: PushProvider {
    /// The name of this instance.
    public let id: ProviderID

    /// What the app has chosen.
    public let configuration: Configuration

    let environment: Environment
    let driver: FlowDriver

    /// Whom a command of unknown content may be for.
    let active = ListedEnrollments { $0.mayBeAsked }

    /// Creates a provider.
    ///
    /// - Parameters:
    ///   - id: The name of this instance; it must not change between releases of an app. A
    ///     reference engine is made for the same name.
    ///   - engine: What holds the format of the commands.
    ///   - relay: The path to the customer application server; `nil` if the app carries commands
    ///     itself, through ``OneSpanOrchestrator`` and its delegates.
    ///   - configuration: What the app has chosen.
    ///   - environment: The world, as the provider may use it.
    public init(
        id: ProviderID = "onespan", engine: any OrchestrationEngine,
        relay: (any OrchestrationCommandRelay)?, configuration: Configuration = Configuration(),
        in environment: Environment
    ) {
        self.id = id
        self.configuration = configuration
        // What stands between this device and the platform tells no time.
        self.environment = environment.scoped(to: id).withSignedTimeOnly
        driver = FlowDriver(engine, relay, configuration, environment.clock)
    }

    /// The device token can be changed: that is notification registration.
    public var capabilities: Capabilities { [.tokenUpdate] }

    /// A notification identifier is made of Apple's token or Firebase's.
    public var pushServices: [PushService] { [.apns, .fcm] }

    /// Activates users, and registers notification identifiers.
    public var enroller: any Enroller { OneSpanEnroller(provider: self) }

    /// Fetches and answers remote authentications and transactions.
    public var resolver: any Resolver { OneSpanResolver(provider: self) }

    var vault: Vault { environment.vault(for: id) }

    /// What holds a command: a push of our open form, or a text that was scanned or relayed and is
    /// nothing but hexadecimal digits.
    ///
    /// An engine that can't tell what a command is without executing it yields a hint: the core asks
    /// then, and only what was fetched is shown.
    public func candidate(in message: PushMessage) -> PushCandidate? {
        PushPayload(message).map { PushCandidate($0.command, verifiedBy: event(from:)) }
    }

    /// Has the engine prove a command.
    private func event(from command: OrchestrationCommand) async throws(PushError) -> PushEvent {
        let context = Secret(command.hex.utf8)
        guard let summary = try await driver.inspect(command) else {
            // A reply comes by the relay alone.
            guard !driver.engine.canInspect else {
                throw OneSpanError.command(.unexpectedCommand).error
            }
            let active = try await active.ids(in: vault, environment.clock)
            guard !active.isEmpty else { throw OneSpanError.notActivated.error }
            return .hint(Hint(.challenges, at: active, context: context))
        }
        let enrollment = Enrollment.ID(summary.deviceID, of: id)
        guard let sealed = try await vault.secret(of: enrollment) else {
            throw OneSpanError.command(.commandNotForThisDevice).error
        }
        guard try !OneSpanCredential(sealed).isDeactivated else {
            throw OneSpanError.command(.deactivated).error
        }
        // The title and subject beside a command are nobody's word.
        let notice = Notice(
            id: Challenge.ID(summary.requestID, of: enrollment), issued: summary.issuedAt,
            expiry: summary.notAfter, proof: .mac)
        return .notice(Announcement(notice, context: context))
    }
}

extension Enrollment {
    /// Whether the server may have sent it something.
    fileprivate var mayBeAsked: Bool {
        switch state {
        case .active, .pending(.deviceToken): true
        default: false
        }
    }
}

extension Announcement {
    /// The command that announced it.
    func command() throws(PushError) -> OrchestrationCommand {
        try OrchestrationCommand(context.withBytes { String(decoding: $0, as: UTF8.self) })
    }
}
