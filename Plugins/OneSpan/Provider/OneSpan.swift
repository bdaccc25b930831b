public import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// OneSpan's Orchestration SDK and Trusted Identity platform.
///
/// Orchestration commands travel from the app to the customer application server, on to the
/// platform, and back until a workflow ends. Their content belongs to an ``OrchestrationEngine``;
/// this plugin has the workflows, the rules and the relay.
public struct OneSpan: PushProvider {
    /// The name of this instance.
    public let id: ProviderID

    /// What the app has chosen.
    package let configuration: Configuration

    let environment: PushEnvironment
    let carrier: CommandCarrier
    let driver: FlowDriver
    let hinted: HintedRequests
    let users: UserRecords
    let workflows: ResumableWorkflows
    let registrations: NotificationRegistrations

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
        relay: (any OrchestrationCommandRelay)?, configuration: Configuration,
        in environment: PushEnvironment
    ) {
        self.id = id
        self.configuration = configuration
        // A relay between this device and the platform tells no time.
        let environment = environment.scoped(to: id).withSignedTimeOnly
        self.environment = environment
        let clock = environment.clock
        carrier = CommandCarrier(engine, relay, clock, tries: configuration.tries)
        let fetcher = RequestFetcher(carrier: carrier)
        driver = FlowDriver(fetcher)
        hinted = HintedRequests(driver, fetcher, id, clock)
        let pending = PendingRegistrations(carrier, clock)
        let recovery = Recovery(engine)
        users = UserRecords(
            provider: id, domain: configuration.domain,
            accounts: WorkflowAccounts(environment.accounts(for: id)), carrier: carrier,
            clock: clock, driver: driver, pending: pending, recovery: recovery)
        workflows = ResumableWorkflows(
            users: users, carrier: carrier, recovery: recovery, environment: environment)
        registrations = NotificationRegistrations(
            identifiers: configuration.identifiers, users: users, workflows: workflows,
            pending: pending, clock: clock)
    }

    /// The device token can be changed: that is notification registration.
    public var capabilities: Capabilities { [.tokenUpdate] }

    /// A plain yes.
    public var prompts: [Challenge.Prompt] { [.approve] }

    /// A notification identifier is made of Apple's token or Firebase's.
    public var pushServices: [DeviceToken.Service] { [.apns, .fcm] }

    /// Activates users, and registers notification identifiers.
    public var enroller: any Enroller { userEnroller }

    /// Fetches and answers remote authentications and transactions.
    public var resolver: any Resolver {
        OneSpanResolver(
            carrier: carrier, driver: driver, hinted: hinted, users: users, workflows: workflows)
    }

    /// Nothing may leave: the keys are the engine's, and an instance is of one device.
    public var exporter: any EnrollmentExporter {
        NotExportable(
            "A user is activated on this device by keys that OneSpan's engine keeps. Activate the user on the "
                + "new device.")
    }

    var userEnroller: OneSpanEnroller {
        OneSpanEnroller(
            carrier: carrier, users: users, workflows: workflows, registrations: registrations,
            environment: environment, hasBiometry: configuration.hasBiometry)
    }

    /// Drops everything that is kept in memory, as may happen at any moment; not the exchanges that
    /// are under way.
    func dropCaches() async {
        await driver.dropCaches()
        await hinted.dropCaches()
        await registrations.pending.dropCaches()
        await workflows.recovery.dropCaches()
        await users.active.forget()
    }

    /// What holds a command: a push of our open form, or a text that was scanned or relayed and is
    /// nothing but hexadecimal digits.
    ///
    /// An engine that can't tell what a command is without executing it yields a hint: the core
    /// asks then, and only what was fetched is shown.
    public func candidate(in message: PushMessage) -> PushMessage.Candidate? {
        PushPayload(message).map {
            PushMessage.Candidate($0.command, verifiedBy: event(from:with:))
        }
    }

    /// The event of a command, once the engine has proved it.
    private func event(
        from command: OrchestrationCommand, with accounts: Accounts
    ) async throws(PushError) -> PushEvent {
        try await translatingErrors { () async throws(OrchestrationError) in
            try await prove(command, with: WorkflowAccounts(accounts))
        }
    }

    private func prove(
        _ command: OrchestrationCommand, with accounts: WorkflowAccounts
    ) async throws(OrchestrationError) -> PushEvent {
        guard let summary = try await carrier.engine.inspect(command) else {
            // A reply comes by the relay alone.
            guard !carrier.engine.canInspect else {
                throw OrchestrationError(OneSpanError.unexpectedCommand)
            }
            let asked = try await outside { () async throws(PushError) -> Set<Enrollment.ID> in
                try await users.active.ids(in: accounts.core, environment.clock)
            }
            guard !asked.isEmpty else { throw OrchestrationError(.notActivated) }
            return .hint(PushEvent.Hint(.challenges, at: asked, context: command.sealed))
        }
        let enrollment = Enrollment.ID(summary.deviceID, of: id)
        guard let account = try await accounts.account(enrollment) else {
            throw OrchestrationError(OneSpanError.commandNotForThisDevice)
        }
        guard account.enrollment.state != .needsReenrollment else {
            throw OrchestrationError(.authenticator(-1300))
        }
        // The title and subject beside a command are nobody's word.
        let notice = Notice(
            id: Challenge.ID(summary.requestID, of: enrollment), issued: summary.issuedAt,
            expiry: summary.notAfter, proof: .mac)
        return .notice(
            Announcement(notice, context: RequestNote(command, summary.kind).sealed))
    }
}

extension OneSpan {
    /// What the app has chosen.
    public struct Configuration: Sendable {
        /// The domain of the users; `nil` for the engine's own. Lower-cased once, here.
        package let domain: String?

        /// Whether an activation also sets up biometry, beside the password.
        package let hasBiometry: Bool

        /// What makes a OneSpan Notification Identifier of a device token: OneSpan's Notification
        /// SDK through an adapter, or the open form of PushOneSpanReference.
        package let identifiers: any NotificationIdentifierProvider

        /// How often a command of an activation, a fetch or a registration is sent before its
        /// caller hears that the server can't be reached. Answers are the ledger's to repeat.
        package let tries: Int

        /// Creates a configuration.
        ///
        /// - Parameters:
        ///   - identifiers: What makes a OneSpan Notification Identifier of a device token:
        ///     OneSpan's Notification SDK through an adapter, or the open form of
        ///     PushOneSpanReference.
        ///   - domain: The domain of the users; `nil` for the engine's own. It is lower-cased here.
        ///   - hasBiometry: Whether an activation also sets up biometry, beside the password.
        ///   - tries: How often a command of an activation, a fetch or a registration is sent
        ///     before its caller hears that the server can't be reached. Answers are the ledger's
        ///     to repeat.
        public init(
            identifiers: any NotificationIdentifierProvider, domain: String? = nil,
            hasBiometry: Bool = false, tries: Int = 3
        ) {
            self.domain = domain?.lowercased()
            self.hasBiometry = hasBiometry
            self.identifiers = identifiers
            self.tries = max(1, tries)
        }
    }
}
