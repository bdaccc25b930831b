public import PushCore
public import PushTesting

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension PrivacyIDEASimulator {
    /// The nonces of a login's challenges, one for each token that was asked.
    package func nonces(of login: SimulatedLogin.ID) -> [String] {
        challenges(of: login).map(\.nonce)
    }

    /// What the relying party is told about a transaction, such as between two looks at its page.
    ///
    /// Where several tokens are asked, the first yes counts, then the first no; UNCONFIRMED.
    ///
    /// - Throws: `PushError` with the code `notFound` if nothing is known of it any more.
    public func transaction(_ id: SimulatedLogin.ID) throws(PushError) -> TransactionState {
        let challenges = challenges(of: id)
        guard !challenges.isEmpty else { throw Self.unknownLogin }
        if challenges.contains(where: { isFinishable($0) && !$0.wantsCode }) {
            return TransactionState(authentication: .accept, challengeStatus: .accept)
        }
        if challenges.contains(where: { $0.state == .declined }) {
            return TransactionState(authentication: .declined, challengeStatus: .declined)
        }
        if challenges.contains(where: { $0.state == .cancelled }) {
            return TransactionState(authentication: .declined, challengeStatus: .cancelled)
        }
        return TransactionState(authentication: .reject, challengeStatus: .pending)
    }

    /// The relying party's last call: whether the user gets in. Nothing but this call says so, and if it
    /// does, all challenges of the transaction are deleted.
    ///
    /// - Parameters:
    ///   - id: The login.
    ///   - code: What the user typed into the login page, where the phone showed a code.
    /// - Returns: Whether the user is in.
    /// - Throws: `PushError` with the code `notFound` if there is no such login.
    public func finish(
        _ id: SimulatedLogin.ID, typing code: String = ""
    ) throws(PushError) -> Bool {
        guard let transaction = transactions[id] else { throw Self.unknownLogin }
        guard !blockedUsers.contains(transaction.user) else { return false }
        let isAccepted = tokens.values.contains { token in
            token.isEnabled
                && token.challenges.contains { challenge in
                    challenge.transaction == id && isFinishable(challenge)
                        && (!challenge.wantsCode || challenge.code == code)
                }
        }
        if isAccepted { end(id, as: .approved) }
        return isAccepted
    }

    /// Deletes the challenges of a login, as an administrator can. Its phones aren't told.
    ///
    /// - Throws: `PushError` with the code `notFound` if there is no such login, or it's over.
    public func cancelLogin(_ id: SimulatedLogin.ID) throws(PushError) {
        guard let transaction = transactions[id], transaction.end == nil else {
            throw Self.unknownLogin
        }
        end(id, as: .failed)
    }

    /// Where a login stands, as its page finds out: it asks, and after a yes makes the last call.
    ///
    /// A login whose phone was told a code waits for ``finish(_:typing:)``. A yes of a token that was
    /// disabled meanwhile has failed. What the page learns to be over is deleted at the server.
    ///
    /// - Throws: `PushError` with the code `notFound` if there is no such login.
    public func status(of login: SimulatedLogin.ID) throws(PushError) -> SimulatedLogin.Status {
        guard let transaction = transactions[login] else { throw Self.unknownLogin }
        if let end = transaction.end { return end }
        let challenges = challenges(of: login)
        guard !challenges.isEmpty else {
            end(login, as: .failed)
            return .failed
        }
        switch try self.transaction(login).authentication {
        case .accept:
            if try finish(login) { return .approved }
            end(login, as: .failed)
            return .failed
        case .declined:
            transactions[login]?.end = .denied
            return .denied
        case .reject:
            let isAlive = challenges.contains { isTakingAnswers($0) || isFinishable($0) }
            if !isAlive { end(login, as: .expired) }
            return isAlive ? .waiting : .expired
        }
    }

    private func end(_ id: SimulatedLogin.ID, as status: SimulatedLogin.Status) {
        transactions[id]?.end = status
        for serial in tokens.keys {
            tokens[serial]?.challenges.removeAll { $0.transaction == id }
        }
    }

    private func challenges(of id: SimulatedLogin.ID) -> [PushChallenge] {
        tokens.values.sorted { $0.number < $1.number }.flatMap(\.challenges)
            .filter { $0.transaction == id }
    }

    /// Whether there is a yes, and time left for the last call.
    private func isFinishable(_ challenge: PushChallenge) -> Bool {
        guard case .accepted(let time) = challenge.state, time <= challenge.expiry else {
            return false
        }
        guard let rest = configuration.timeToFinish else {
            return configuration.now <= challenge.expiry
        }
        return configuration.now <= time + rest.inSeconds
    }
}
