public import PushCore
public import PushTesting

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A login page and what it waits for.
struct Login {
    /// What the push asks for, its claim `type`.
    enum Strategy: String { case code, prompt }

    let user: String
    let strategy: Strategy
    let flow: PlusAuthSimulator.Configuration.Flow
    /// The candidates of a `code`, and the one of them on the page.
    let values: [String]
    let shown: String?
    /// The enrollment token of the QR code on the page, while it shows one.
    var openInvitation: String?
    var expiry: Date
    var sent: Date?
    var pushes: [SimulatedPush] = []
    var answers: [PlusAuthSimulator.ReceivedAnswer] = []
    /// Where it ended.
    var end: SimulatedLogin.Status?
}

/// The context token of a push.
struct IssuedToken {
    let login: SimulatedLogin.ID
    /// Who may use it.
    let credentials: [PlusAuthSimulator.RegisteredDevice.ID]
    let expiry: Date
}

extension PlusAuthSimulator {
    /// Starts a login of an enrolled user, and pushes the challenge to all of the user's devices.
    ///
    /// What it asks decides the strategy: `confirm` is a `prompt`, `number` a `code`, whose number
    /// is on the page. If a fault makes the pushes bad, the server side of them is genuine.
    ///
    /// - Throws: `PushError` with the code `notFound` if the user has no device, or another user
    ///   whose key is to sign; `unsupported` for biometry, which no push asks for, or for a fault
    ///   that the key of a device can't have.
    public func startLogin(
        of user: String, asking kind: SimulatedLogin.Kind, spoiledBy fault: BadPush?
    ) throws(PushError) -> SimulatedLogin {
        guard credentials.contains(where: { $0.user == user }) else {
            throw PushError(.notFound, "The user has no enrolled device.")
        }
        let id = identifier()
        let login = try challenged(login(of: user, asking: kind), id, spoiledBy: fault)
        logins[id] = login
        shell.send(login.pushes)
        return SimulatedLogin(id: id, shown: login.shown)
    }

    /// Opens the login page of a user who need not have a device.
    ///
    /// Without one the page shows a QR code, see ``page(of:)``; once that has enrolled a device,
    /// ``proceed(with:)`` or a POST to the page sends the push. With one it is
    /// ``startLogin(of:asking:spoiledBy:)``.
    ///
    /// - Throws: `PushError` with the codes of ``startLogin(of:asking:spoiledBy:)`` and
    ///   ``enrollmentURI(for:)``.
    public func openPage(
        for user: String, asking kind: SimulatedLogin.Kind
    ) throws(PushError) -> SimulatedLogin {
        guard !credentials.contains(where: { $0.user == user }) else {
            return try startLogin(of: user, asking: kind)
        }
        var login = try login(of: user, asking: kind)
        login.openInvitation = try openInvitation(for: user).token
        let id = identifier()
        logins[id] = login
        return SimulatedLogin(id: id, shown: login.shown)
    }

    /// Goes on from the QR code to the push, as the page's button does.
    ///
    /// - Throws: `PushError` with the code `notFound` if there is no such login, or its user still
    ///   has no device; `over` if the page has expired.
    public func proceed(with login: SimulatedLogin.ID) throws(PushError) {
        guard let old = logins[login] else { throw unknownLogin }
        guard old.openInvitation != nil else { return }
        guard try status(of: login) == .waiting else {
            throw PushError(.over, "The page has expired.")
        }
        guard credentials.contains(where: { $0.user == old.user }) else {
            throw PushError(.notFound, "The user has no enrolled device.")
        }
        let new = try challenged(old, login, spoiledBy: nil)
        logins[login] = new
        shell.send(new.pushes)
    }

    /// Sends the challenge of a login once more, as the page does after a while.
    ///
    /// - Throws: `PushError` with the code `notFound` if there is no such login, or it asks no
    ///   device yet, or `over` if it has ended.
    public func resend(_ login: SimulatedLogin.ID) throws(PushError) {
        guard let old = logins[login], old.openInvitation == nil else { throw unknownLogin }
        guard old.end == nil else { throw PushError(.over, "The login has ended.") }
        guard !configuration.resendsSameToken else {
            logins[login]?.sent = configuration.clock.now
            return shell.send(old.pushes)
        }
        let new = try challenged(old, login, spoiledBy: nil)
        logins[login] = new
        shell.send(new.pushes)
    }

    /// Where a login stands, as its page would find out.
    ///
    /// - Throws: `PushError` with the code `notFound` if there is no such login.
    public func status(of login: SimulatedLogin.ID) throws(PushError) -> SimulatedLogin.Status {
        guard let login = logins[login] else { throw unknownLogin }
        return login.end ?? (configuration.clock.now < login.expiry ? .waiting : .expired)
    }

    /// The answers that a login got; the last tells why the user refused.
    ///
    /// - Throws: `PushError` with the code `notFound` if there is no such login.
    public func answers(to login: SimulatedLogin.ID) throws(PushError) -> [ReceivedAnswer] {
        guard let login = logins[login] else { throw unknownLogin }
        return login.answers
    }

    var unknownLogin: PushError { PushError(.notFound, "There is no such login.") }

    private func login(
        of user: String, asking kind: SimulatedLogin.Kind
    ) throws(PushError) -> Login {
        let strategy: Login.Strategy
        switch kind {
        case .confirm: strategy = .prompt
        case .number: strategy = .code
        case .biometry: throw PushError(.unsupported, "No push asks for \(kind.rawValue).")
        }
        let values = strategy == .code ? randomValues() : []
        return Login(
            user: user, strategy: strategy, flow: configuration.flow, values: values,
            shown: values.isEmpty
                ? nil : values[configuration.random.index(below: values.count)],
            expiry: configuration.clock.now + configuration.enrollmentLifetime.inSeconds)
    }

    /// Three different values of two digits; the first may be zero.
    private func randomValues() -> [String] {
        var pool = (0..<100).map { ($0 < 10 ? "0" : "") + "\($0)" }
        return (0..<3).map { _ in
            pool.remove(at: configuration.random.index(below: pool.count))
        }
    }
}
