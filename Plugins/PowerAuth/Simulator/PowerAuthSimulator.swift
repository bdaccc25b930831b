public import PushCore
public import PushTesting

/// A PowerAuth server of the 1.9 and 1.10 generations, in process, with the enrollment server in
/// front of it and the push server beside it.
///
/// It speaks protocol 3.0 to 3.3 under one origin, and checks whatever the documentation and the
/// public sources say that the servers check. It never waits: all time comes from its clock, and
/// what has expired by then is over before a call is handled. It's written from a description of
/// the protocol alone and shares no code with the plugin but `PushJOSE` and PushCore's JSON and
/// hexadecimal, so that a mistake can't hide in both.
///
/// Its public methods are the back office, which knows no network. No invitation tells where it is
/// reached: an app knows its server.
public actor PowerAuthSimulator: SimulatedService, ShelledService {
    /// The vendor's name, for people.
    public nonisolated let name = "PowerAuth"

    /// What kind of server it is now. What exists keeps what it was made with.
    public package(set) var configuration: Configuration

    var activations: [String: Activation] = [:]
    /// The identifiers of all activations, in the order they were made.
    var activationOrder: [String] = []
    var temporaryKeys: [String: TemporaryKey] = [:]
    var tokens: [String: IssuedToken] = [:]
    var operations: [String: Operation] = [:]
    /// The identifiers of all operations, in the order they were made.
    var operationOrder: [String] = []
    var offlineCodes: [String: OfflineRecord] = [:]
    /// Messages, by their users.
    var inboxes: [String: Inbox] = [:]
    /// Codes that identity providers gave out.
    var grants: [String: AuthorizationGrant] = [:]
    /// Why vaults were unlocked.
    var vaultReasons: [String] = []
    /// What the bank's own endpoints got.
    var resourceCalls: [ResourceCall] = []
    /// Envelopes and tokens' headers that were seen, and when.
    var seen: [String: Int64] = [:]
    package var shell = SimulatorShell(at: "https://mobile.powerauth.example")
    private var forced = FaultQueue<Refusal>()
    private var faults = FaultQueue<(call: Call?, fault: BadAnswer)>()

    /// Creates a server without activations.
    public init(_ configuration: Configuration = Configuration()) {
        self.configuration = configuration
    }

    /// The configuration string of the first application, which its mobile app ships with.
    ///
    /// Empty if there is no application.
    public var sdkConfiguration: String {
        configuration.applications.first?.sdkConfiguration ?? ""
    }

    /// Replies with an error, without looking at the request; the next call first.
    ///
    /// - Parameters:
    ///   - status: The status, 300 to 599; others become the nearest of these.
    ///   - code: The code in the body.
    ///   - times: How many requests get it.
    public func force(status: Int, code: String = "ERROR_GENERIC", times: Int = 1) {
        let refusal = Refusal(
            status: min(max(status, 300), 599), code: code, message: "Forced by the simulator.")
        forced.add(refusal, times: times)
    }

    /// Replies with the code `ERROR_GENERIC`, without looking at the request.
    public func force(status: Int, times: Int) {
        force(status: status, code: "ERROR_GENERIC", times: times)
    }

    /// Spoils the next answers.
    ///
    /// - Parameters:
    ///   - fault: What becomes of an answer.
    ///   - call: The call whose answers are spoiled; any if `nil`.
    ///   - times: How many answers.
    public func spoil(by fault: BadAnswer, at call: Call? = nil, times: Int = 1) {
        faults.add((call: call, fault: fault), times: times)
    }

    func takeFault(at call: Call) -> BadAnswer? {
        faults.take { $0.call == nil || $0.call == call }?.fault
    }

    package func reply(to request: SimulatedRequest) -> SimulatedReply {
        sweep()
        let reply = forced.take().map { ServerReply($0) } ?? answer(request.head, request.body)
        return reply.http
    }

    /// The pushes sent since the last call, oldest first.
    public func takePushes() -> [SimulatedPush] {
        sweep()
        return shell.takePushes()
    }

    /// Ends what has run out since the last call.
    func sweep() {
        let now = configuration.now
        for id in activationOrder {
            guard let activation = activations[id], activation.isUnfinished,
                activation.deadline <= now
            else { continue }
            activations[id]?.state = .removed
        }
        for id in operationOrder {
            guard let operation = operations[id], operation.status == .pending,
                operation.expiry <= now
            else { continue }
            finish(id, as: .expired, announcing: .timeout)
        }
        temporaryKeys = temporaryKeys.filter { $0.value.expiry > now }
    }
}

// MARK: Logins

extension PowerAuthSimulator {
    /// Invites a device: the text of a signed activation code.
    ///
    /// It's an activation made with the options that the configuration says, so by default a
    /// ``commit(_:password:)`` has to follow.
    ///
    /// - Throws: `PushError` with the code `notFound` if there is no application.
    public func invitation(for user: String) throws(PushError) -> Invitation {
        .scanned(text: try createActivation(for: user, configuration.invitation).text)
    }

    /// Starts a login of a user: an operation that needs two factors.
    ///
    /// `confirm` takes those that the template says, by default PIN or biometry beside the
    /// device; `biometry` takes biometry only. If a fault makes the pushes bad, the operation is
    /// genuine.
    ///
    /// - Throws: `PushError` with the code `notFound` if the user has no active activation, or
    ///   `unsupported` for a number, which no operation asks for.
    public func startLogin(
        of user: String, asking kind: SimulatedLogin.Kind, spoiledBy fault: BadPush?
    ) throws(PushError) -> SimulatedLogin {
        var template = configuration.login
        template.lifetime = configuration.loginLifetime
        switch kind {
        case .confirm: break
        case .biometry: template.approval = .twoFactors([.possessionBiometry])
        case .number: throw PushError(.unsupported, "No operation asks for a number.")
        }
        sweep()
        guard activations.values.contains(where: { $0.user == user && $0.state == .active }) else {
            throw PushError(.notFound, "The user has no active activation.")
        }
        let operation = try createOperation(for: user, template, spoiledBy: fault)
        return SimulatedLogin(id: operation.id)
    }

    /// Where a login stands. One that the back office cancelled has failed.
    ///
    /// - Throws: `PushError` with the code `notFound` if there is no such login.
    public func status(of login: SimulatedLogin.ID) throws(PushError) -> SimulatedLogin.Status {
        switch try operation(login).status {
        case .pending: .waiting
        case .approved: .approved
        case .rejected: .denied
        case .expired: .expired
        case .canceled, .failed: .failed
        }
    }
}
