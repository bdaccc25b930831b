public import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension PowerAuthSimulator {
    /// Creates an activation.
    ///
    /// - Throws: `PushError` with the code `notFound` if there is no such application.
    public func createActivation(
        for user: String, _ options: ActivationOptions = ActivationOptions()
    ) throws(PushError) -> ActivationRecord {
        let key = options.applicationKey ?? configuration.applications.first?.key
        guard let application = configuration.applications.first(where: { $0.key == key }) else {
            throw PushError(.notFound, "There is no such application.")
        }
        let code = ActivationCode.text(of: configuration.random.data(10))
        guard let signature = application.masterKey.derSignature(over: Data(code.utf8)) else {
            throw PushError(.invalidArgument, "The master key can't sign.")
        }
        let id = configuration.random.identifier()
        let lifetime = configuration.activationLifetime.inMilliseconds
        let activation = Activation(
            id: id, user: user, application: application, code: code,
            signature: signature.base64, serverKey: configuration.random.key(),
            options: options, deadline: configuration.now + lifetime, flags: options.flags)
        activations[id] = activation
        activationOrder.append(id)
        return record(of: activation)
    }

    /// Makes an activation active after a device exchanged its keys.
    ///
    /// - Parameters:
    ///   - id: The activation.
    ///   - password: Its one-time password, if it has one for the commit.
    /// - Throws: `PushError` with the code `notFound` if there is no such activation, `over` if it
    ///   doesn't wait for a commit, `invalidArgument` if the password is wrong.
    public func commit(
        _ id: ActivationRecord.ID, password: String? = nil
    ) throws(PushError) {
        let activation = try known(id)
        guard activation.state == .pendingCommit else {
            throw PushError(.over, "The activation doesn't wait for a commit.")
        }
        if case .onCommit(let expected) = activation.options.password {
            let given = Secret((password ?? "").utf8)
            guard given.isEqualInConstantTime(to: Secret(expected.utf8)) else {
                if password != nil { countWrongPassword(of: id) }
                throw PushError(.invalidArgument, "The one-time password is wrong.")
            }
        }
        activations[id]?.failedAttempts = 0
        change(id, to: .active)
    }

    /// Blocks an active activation.
    ///
    /// - Throws: `PushError` with the code `notFound`, or `over` if it isn't active.
    public func block(_ id: ActivationRecord.ID, because reason: String? = nil) throws(PushError) {
        guard try known(id).state == .active else {
            throw PushError(.over, "The activation isn't active.")
        }
        activations[id]?.blockedReason = reason ?? "NOT_SPECIFIED"
        change(id, to: .blocked)
    }

    /// Unblocks a blocked activation; it has all its attempts again.
    ///
    /// - Throws: `PushError` with the code `notFound`, or `over` if it isn't blocked.
    public func unblock(_ id: ActivationRecord.ID) throws(PushError) {
        guard try known(id).state == .blocked else {
            throw PushError(.over, "The activation isn't blocked.")
        }
        activations[id]?.blockedReason = nil
        activations[id]?.failedAttempts = 0
        change(id, to: .active)
    }

    /// Removes an activation and its tokens.
    ///
    /// - Throws: `PushError` with the code `notFound`, or `over` if it was removed before.
    public func remove(_ id: ActivationRecord.ID) throws(PushError) {
        guard try known(id).state != .removed else {
            throw PushError(.over, "The activation was removed before.")
        }
        end(id)
    }

    /// Replaces an activation's flags.
    ///
    /// - Throws: `PushError` with the code `notFound`.
    public func setFlags(_ flags: Set<String>, of id: ActivationRecord.ID) throws(PushError) {
        _ = try known(id)
        activations[id]?.flags = flags
    }

    /// Moves the server's counter: back as a restored backup would be, or ahead.
    ///
    /// - Parameters:
    ///   - id: The activation.
    ///   - number: Which value counted from the first, which is 0; up to 100,000.
    /// - Throws: `PushError` with the code `notFound` if there is no such activation or no device
    ///   yet, `invalidArgument` if the number is out of range.
    public func setCounter(of id: ActivationRecord.ID, to number: Int) throws(PushError) {
        guard try known(id).device != nil else {
            throw PushError(.notFound, "The activation has no device.")
        }
        guard (0...100_000).contains(number) else {
            throw PushError(.invalidArgument, "The counter isn't 0 to 100,000.")
        }
        activations[id]?.device?.setCounter(UInt64(number))
    }

    /// Removes all tokens of an activation, as a server that lost them would.
    ///
    /// - Throws: `PushError` with the code `notFound`.
    public func forgetTokens(of id: ActivationRecord.ID) throws(PushError) {
        _ = try known(id)
        tokens = tokens.filter { $0.value.activation != id }
    }

    /// Forgets all temporary keys, as a server that was restarted without them would.
    public func forgetTemporaryKeys() {
        temporaryKeys = [:]
    }

    /// How an activation stands.
    ///
    /// - Throws: `PushError` with the code `notFound`.
    public func activation(_ id: ActivationRecord.ID) throws(PushError) -> ActivationRecord {
        record(of: try known(id))
    }

    /// A user's activations, the oldest first.
    public func activations(of user: String) -> [ActivationRecord] {
        sweep()
        return activationOrder.compactMap { activations[$0] }.filter { $0.user == user }
            .map { record(of: $0) }
    }

    private func known(_ id: String) throws(PushError) -> Activation {
        sweep()
        guard let activation = activations[id] else {
            throw PushError(.notFound, "There is no such activation.")
        }
        return activation
    }

    private func record(of activation: Activation) -> ActivationRecord {
        ActivationRecord(
            activation, tokens: tokens.values.filter { $0.activation == activation.id }.map(\.id))
    }
}
