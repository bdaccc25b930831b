public import PushCore
public import PushTesting

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A challenge for one token in the server's database.
struct PushChallenge {
    enum State: Equatable {
        case open
        case accepted(Date)
        case declined
        case cancelled
    }

    let nonce: String
    let transaction: SimulatedLogin.ID
    let title: String
    let question: String
    let options: [String]
    let rightOption: String?
    let wantsCode: Bool
    let expiry: Date
    let fault: PrivacyIDEASimulator.BadChallenge?
    var state = State.open

    /// The code that the phone was told last.
    var code: String?
}

/// What a login page waits for: a challenge for each of the user's tokens.
struct Transaction {
    let user: String
    let pushes: [SimulatedPush]

    /// Where it ended.
    var end: SimulatedLogin.Status?
}

extension PrivacyIDEASimulator {
    /// Starts a login of an enrolled user: a challenge for each of the user's tokens, pushed where
    /// the server has a gateway. If a fault makes the challenges bad, the server side is genuine.
    ///
    /// - Throws: `PushError` with the code `notFound` if the user has no token that may be asked,
    ///   `unsupported` for a kind or a policy that the release doesn't have, or `invalidArgument` if
    ///   nothing could reach a device.
    public func startLogin(
        of user: String, asking kind: SimulatedLogin.Kind, spoiledBy fault: BadChallenge?
    ) throws(PushError) -> SimulatedLogin {
        try checkRelease(for: kind)
        let asked = tokens.values.filter { $0.user == user && $0.keys != nil && $0.isEnabled }
            .sorted { $0.number < $1.number }
        guard !asked.isEmpty, !blockedUsers.contains(user) else {
            throw PushError(.notFound, "The user has no token that may be asked.")
        }
        guard !configuration.gatewayFails || configuration.polling != .deny else {
            throw PushError(.invalidArgument, "Neither a push nor a poll could reach a device.")
        }
        let id = digits(20)
        let options = kind == .number ? newOptions() : []
        let right =
            options.isEmpty ? nil : options[configuration.random.index(below: options.count)]
        var pushes: [SimulatedPush] = []
        for token in asked {
            let challenge = PushChallenge(
                nonce: newNonce(), transaction: id,
                title: rendered(configuration.title, user, configuration.clientAddress),
                question: rendered(configuration.question, user, configuration.clientAddress),
                options: options, rightOption: right,
                wantsCode: configuration.sendsCodeToPhone && right == nil,
                expiry: configuration.now + configuration.validity.inSeconds, fault: fault)
            forgetOldChallenges(of: token.serial)
            tokens[token.serial]?.challenges.append(challenge)
            guard let fields = try fields(of: challenge, token) else { continue }
            if let push = push(fields, to: token) { pushes.append(push) }
        }
        if fault == .repeated { shell.send(pushes) }
        transactions[id] = Transaction(user: user, pushes: pushes)
        return SimulatedLogin(id: id, shown: right)
    }

    /// Delivers a login's pushes once more, as a push service may.
    ///
    /// - Throws: `PushError` with the code `notFound` if there is no such login.
    public func repeatPushes(of login: SimulatedLogin.ID) throws(PushError) {
        guard let transaction = transactions[login] else { throw Self.unknownLogin }
        shell.send(transaction.pushes)
    }

    static let unknownLogin = PushError(.notFound, "There is no such login.")

    private func checkRelease(for kind: SimulatedLogin.Kind) throws(PushError) {
        let generation = configuration.generation
        let asksForNew = kind == .number || configuration.sendsCodeToPhone
        guard kind != .biometry, generation.hasPresence || !asksForNew,
            generation.hasCapabilities || configuration.gateway != .http
        else { throw PushError(.unsupported, "The release has no login of this kind.") }
    }

    /// What is over for an hour is cleared away.
    private func forgetOldChallenges(of serial: String) {
        let limit = configuration.now - 3600
        tokens[serial]?.challenges.removeAll { $0.expiry < limit }
    }

    /// 20 random bytes in Base32.
    private func newNonce() -> String {
        configuration.random.bytes(20).withBytes { ServerBase32.encode($0) }
    }

    private func digits(_ count: Int) -> String {
        (0..<count).map { _ in "\(configuration.random.index(below: 10))" }.joined()
    }

    /// A code for the login page.
    func newCode() -> String { digits(2) }

    /// What the user chooses from, in random order.
    private func newOptions() -> [String] {
        var pool: [String]
        let count: Int
        switch configuration.presence {
        case .alphabetic(let wanted):
            pool = "ABCDEFGHIJKLMNOPQRSTUVWXYZ".map(String.init)
            count = min(max(wanted, 2), 10)
        case .numeric(let wanted):
            pool = (0..<100).map { $0 < 10 ? "0\($0)" : "\($0)" }
            count = min(max(wanted, 2), 10)
        case .custom(let texts):
            pool = texts
            count = texts.count
        }
        return (0..<count).map { _ in
            pool.remove(at: configuration.random.index(below: pool.count))
        }
    }

    /// A policy's text with what a request says.
    func rendered(
        _ text: String, _ user: String, _ address: String, agent: String? = nil
    ) -> String {
        text.replacing("{user}", with: user).replacing("{client_ip}", with: address)
            .replacing("{ua_string}", with: agent ?? configuration.clientAgent)
    }
}
