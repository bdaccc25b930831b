import Crypto
import PushCore
public import PushOneSpan

/// An activation's work.
struct ActivationWork: Sendable {
    /// Where it is; section 4 of `docs/vendors/onespan-ooc.md`.
    enum Stage: Sendable {
        case enrolling
        case awaitingChallenge(ephemeral: P256.KeyAgreement.PrivateKey, ActivationKeys, Material)
        case awaitingInstances(ActivationKeys, Material)
        case awaitingConfirmation(Confirming)
        case awaitingCompletion(SessionKeys)
    }

    /// What the device made before the first command.
    struct Material: Sendable {
        let instances: InstanceKeys
        let signingKey: Secret
        let mask: PasswordMask
    }

    /// What is needed for the last command.
    struct Confirming: Sendable {
        let keys: SessionKeys
        let material: Material

        /// TH4, which the last command signs.
        let transcript: [UInt8]
    }

    let user: String
    let domain: String
    let host: String?
    var port = 443

    /// The activation password, until it is proved.
    var password: Secret?
    var stage = Stage.enrolling
    var deviceID: [UInt8]?

    /// The server's static key in use, 65 bytes.
    var serverKey: [UInt8] = []
}

extension OpenReferenceEngine {
    /// Finds what is wrong with the inputs of an activation.
    ///
    /// - Throws: `OrchestrationError` with `OneSpanError.input`.
    public nonisolated func check(
        _ activation: WorkflowIntent.Activation
    ) throws(OrchestrationError) {
        _ = try inputs(of: activation)
    }

    private nonisolated func inputs(
        of activation: WorkflowIntent.Activation
    ) throws(OrchestrationError) -> ActivationWork {
        let domain = (activation.domain ?? configuration.domain).lowercased()
        let user = activation.user
        guard !user.isEmpty else {
            throw OrchestrationError(
                .input(.userIDNullOrEmpty), "There is no user identifier.")
        }
        guard user.utf8.count <= 255, (1...255).contains(domain.utf8.count),
            !user.utf8.contains(0), !domain.utf8.contains(0)
        else {
            throw OrchestrationError(
                .input(.userIDWrongFormat), "The user identifier or the domain can't be used.")
        }
        let password = try ActivationPassword(activation.password)
        return ActivationWork(
            user: user, domain: domain, host: activation.host, port: activation.port,
            password: password.characters)
    }

    /// Checks the inputs and asks for a password; nothing is sent.
    func startActivation(
        _ activation: WorkflowIntent.Activation
    ) async throws(OrchestrationError) -> OrchestrationStep {
        let work = try inputs(of: activation)
        try await checkIsNew(work)
        // Again, as the store may have taken its time.
        guard !running.contains(where: { $0.activates(work) }) else { throw Self.inProgress }
        let flow = Flow(id: newFlowID(), work: .activation(work))
        flows.add(flow)
        return .authenticate(.password, flow.name, isEnrollment: true)
    }

    static var inProgress: OrchestrationError {
        OrchestrationError(.workflowInProgress, "Another workflow of the user comes first.")
    }

    private func checkIsNew(_ work: ActivationWork) async throws(OrchestrationError) {
        let claim = OneSpanCredential.claim(user: work.user, domain: work.domain)
        guard let known = try await accounts.holder(of: claim) else { return }
        let device = try await accounts.account(known.id)
        if (try? device?.record)?.finalize != nil { throw Self.inProgress }
        throw OrchestrationError(.alreadyActivated, "The user is activated already.")
    }

    /// Takes the password that the user chose, and makes the first command.
    func provideToActivation(
        _ input: WorkflowInput, _ flow: inout Flow
    ) async throws(OrchestrationError) -> Progress {
        guard case .secret(let password) = input, case .activation(var work) = flow.work,
            case .enrolling = work.stage
        else { throw Self.invalidState }
        guard isStrong(password) else {
            return (.inputRejected(.weakPassword, flow.name, mayRetry: true), flow)
        }
        let random = environment.random
        let instances = InstanceKeys(
            none: random.bytes(32), password: random.bytes(32),
            biometric: configuration.hasBiometry ? random.bytes(32) : nil)
        let signingKey = try sealer.newKey { secret in
            let key = secret.withBytes { try? P256.Signing.PrivateKey(rawRepresentation: $0) }
            return key.map { _ in secret }
        }
        let mask = try await PasswordMask(
            instances.password, password: password, salt: random.bytes(PasswordMask.saltLength),
            iterations: configuration.pbkdf2Iterations)
        let material = ActivationWork.Material(
            instances: instances, signingKey: signingKey, mask: mask)
        flow.outstanding = try hello(&work, material, flow: flow.id)
        flow.work = .activation(work)
        flow.deadline = environment.clock.elapsed + configuration.helloTimeout
        guard let outstanding = flow.outstanding else { throw Self.invalidState }
        return send(outstanding, in: &flow)
    }

    /// A new password must have some length, in characters.
    func isStrong(_ password: Secret) -> Bool {
        // Every byte that doesn't continue a character of UTF-8 starts one.
        let characters = password.withBytes { $0.count { $0 & 0xC0 != 0x80 } }
        return characters >= max(1, configuration.minimumPasswordLength)
    }

    private func hello(
        _ work: inout ActivationWork, _ material: ActivationWork.Material, flow: [UInt8]
    ) throws(OrchestrationError) -> Flow.SentCommand {
        let server = try configuration.serverKey()
        let ephemeral = try sealer.newEphemeral()
        var keys = try ActivationKeys(
            user: work.user, domain: work.domain, ephemeral: ephemeral, server: server)
        var body = BodyWriter()
        body.add(.protocolVersion, [1])
        body.add(.userID, work.user.utf8)
        body.add(.domain, work.domain.utf8)
        body.add(.clientNonce, environment.random.bytes(32))
        let header = CommandHeader(
            .activationHello,
            principal: ActivationKeys.handle(user: work.user, domain: work.domain), flow: flow,
            counter: 1, bodyLength: body.body.count)
        let command = try CommandEnvelope(
            sealing: body.body, under: header,
            clearKey: Array(ephemeral.publicKey.x963Representation),
            key: keys.handshakeKey("OOC1 act C1", header)
        ).bytes
        keys.add(command)
        work.serverKey = Array(server.x963Representation)
        work.stage = .awaitingChallenge(ephemeral: ephemeral, keys, material)
        return Flow.SentCommand(command: command, reply: .activationChallenge, counter: 1)
    }
}

extension Flow {
    /// Whether it activates the same user.
    fileprivate func activates(_ other: ActivationWork) -> Bool {
        guard case .activation(let work) = self.work else { return false }
        return work.user.utf8.elementsEqual(other.user.utf8)
            && work.domain.utf8.elementsEqual(other.domain.utf8)
    }
}
