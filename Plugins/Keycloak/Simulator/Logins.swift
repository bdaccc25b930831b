public import PushCore
public import PushTesting

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A login that asked a credential.
struct Login {
    let user: String
    let credentialID: String
    let created: Int64
    let expiry: Int64
    let check: Check?
    let push: SimulatedPush?
    let firebase: JSON?
    let link: String

    /// How it ended; `nil` while it waits.
    var end: SimulatedLogin.Status?

    /// Whether the server still keeps its challenge: not once its page has gone on.
    var isKept = true

    /// What the user brings from the login page, and what the device is told of it.
    struct Check {
        let right: String
        let wire: JSON
    }
}

extension KeycloakSimulator {
    /// Starts a login of an enrolled user, and pushes its challenge where the device wants pushes.
    ///
    /// Its login page is that of a browser of its own, up to
    /// ``Configuration/maxPendingChallenges``; then it's that of the oldest.
    ///
    /// - Throws: `PushError` as the other.
    public func startLogin(
        of user: String, asking kind: SimulatedLogin.Kind
    ) throws(PushError) -> SimulatedLogin {
        try startLogin(of: user, asking: kind, spoiledBy: nil)
    }

    /// Starts a login of an enrolled user. Its push and its same-device link have the fault, while
    /// the server side of it is genuine.
    ///
    /// - Throws: `PushError` with the code `notFound` if the user has no device or is locked out,
    ///   `unsupported` for a kind that the extension doesn't have, `invalidArgument` for a PIN of
    ///   no or too many digits.
    public func startLogin(
        of user: String, asking kind: SimulatedLogin.Kind, spoiledBy fault: BadToken?
    ) throws(PushError) -> SimulatedLogin {
        guard kind != .biometry else {
            throw PushError(.unsupported, "The extension has no login of this kind.")
        }
        guard let user = self.user(named: user), !user.isLockedOut,
            let device =
                configuration.askedCredential == .first ? user.devices.first : user.devices.last
        else { throw PushError(.notFound, "The user has no device that may be asked.") }
        let check = kind == .number ? try newCheck() : nil
        let (id, now) = (configuration.identifier(), configuration.seconds)
        let expiry = now + Int64(configuration.loginLifetime.inSeconds)
        var claims = confirmClaims(
            credential: device.credentialID, id: id, from: now, to: expiry)
        var linkClaims = claims
        if configuration.linkHasAnswer, let check {
            linkClaims["userVerification"] = .string(check.right)
        }
        if fault == .otherKind {
            claims = self.claims(
                of: PendingEnrollment(
                    user: user.id, nonce: configuration.identifier(), issued: now, expiry: expiry,
                    handle: "", fault: nil), id)
        }
        let token = try signed(claims, spoiledBy: fault)
        makeRoom(for: user)
        let firebase = firebaseMessage(token, to: device)
        let login = Login(
            user: user.id, credentialID: device.credentialID, created: now, expiry: expiry,
            check: check, push: push(token, to: device), firebase: firebase,
            link: Self.link(
                configuration.confirmLink, "token", try signed(linkClaims, spoiledBy: fault)))
        logins[id] = login
        for _ in 0..<(fault == .repeated ? 2 : 1) { send(login) }
        return SimulatedLogin(id: id, shown: check?.right)
    }

    /// Delivers a login's push once more, as a push service may.
    ///
    /// - Throws: `PushError` with the code `notFound` if there is no such login.
    public func repeatPush(of login: SimulatedLogin.ID) throws(PushError) {
        send(try existing(login))
    }

    /// The link of the waiting page that leads an app on the same device to the challenge.
    ///
    /// - Throws: `PushError` with the code `notFound` if there is no such login.
    public func sameDeviceLink(of login: SimulatedLogin.ID) throws(PushError) -> String {
        try existing(login).link
    }

    private func existing(_ id: SimulatedLogin.ID) throws(PushError) -> Login {
        guard let login = logins[id] else {
            throw PushError(.notFound, "There is no such login.")
        }
        return login
    }

    private func send(_ login: Login) {
        if let push = login.push { send(push, asking: login.firebase) }
    }

    /// What a confirm token says: neither user nor application.
    func confirmClaims(
        credential: String, id: String, from issued: Int64, to expiry: Int64
    ) -> JSON.Object {
        [
            "iss": .string(issuer), "credId": .string(credential), "typ": 1, "ver": 1,
            "cid": .string(id), "iat": .integer(issued), "exp": .integer(expiry),
        ]
    }

    /// The oldest challenges give way, as in one browser session.
    private func makeRoom(for user: User) {
        let open = logins.filter { $0.value.user == user.id && isOpen($0.value) }
            .sorted { ($0.value.created, $0.key) < ($1.value.created, $1.key) }
        for (id, _) in open.dropLast(max(configuration.maxPendingChallenges, 1) - 1) {
            logins[id]?.end = .failed
            logins[id]?.isKept = false
        }
    }

    private func newCheck() throws(PushError) -> Login.Check {
        switch configuration.numberCheck {
        case .match:
            var pool = (0..<100).map { "\($0)" }
            let numbers = (0..<3).map { _ in
                pool.remove(at: configuration.number(below: pool.count))
            }
            return Login.Check(
                right: numbers[configuration.number(below: 3)],
                wire: ["type": "number-match", "numbers": .array(numbers.map(JSON.string))])
        case .pin(let length):
            guard 1...12 ~= length else {
                throw PushError(.invalidArgument, "A PIN has 1 to 12 digits.")
            }
            let digits = (0..<length).map { _ in "\(configuration.number(below: 10))" }
            return Login.Check(
                right: digits.joined(), wire: ["type": "pin", "pinLength": .integer(length)])
        }
    }

    // MARK: Pushes

    /// What the device gets: the data of a Firebase message; for APNs, where no sender is bundled,
    /// the same member beside an alert.
    private func push(_ token: String, to device: Device) -> SimulatedPush? {
        guard let deviceToken = device.deviceToken else { return nil }
        var payload: JSON.Object = [:]
        if case .apns = deviceToken { payload["aps"] = ["alert": Self.notification] }
        payload["token"] = .string(token)
        return SimulatedPush(to: deviceToken, payload: JSON.object(payload).data)
    }

    private static let notification: JSON = [
        "title": "Push MFA", "body": "Please confirm your login",
    ]

    private func firebaseMessage(_ token: String, to device: Device) -> JSON? {
        guard device.providerType == "fcm" else { return nil }
        return [
            "message": [
                "token": .string(device.providerID), "notification": Self.notification,
                "data": ["token": .string(token)],
            ]
        ]
    }

    // MARK: The login page

    /// Where a login stands, as its page finds out. Once the page has seen an answer, it goes on,
    /// and the server forgets the challenge.
    ///
    /// - Throws: `PushError` with the code `notFound` if there is no such login.
    public func status(of login: SimulatedLogin.ID) throws(PushError) -> SimulatedLogin.Status {
        let found = try existing(login)
        if isOpen(found) { return .waiting }
        let end = found.end ?? .expired
        logins[login]?.end = end
        logins[login]?.isKept = false
        return end
    }

    /// Ends a login, as its user can on the page. Its device isn't told.
    ///
    /// - Throws: `PushError` with the code `notFound` if there is no such login, or it's over.
    public func cancelLogin(_ id: SimulatedLogin.ID) throws(PushError) {
        guard isOpen(try existing(id)) else {
            throw PushError(.notFound, "The login is over.")
        }
        logins[id]?.end = .failed
        logins[id]?.isKept = false
    }

    /// Ends what is open of the logins that match.
    func end(where matches: (Login) -> Bool) {
        for (id, login) in logins where isOpen(login) && matches(login) {
            logins[id]?.end = .failed
            logins[id]?.isKept = false
        }
    }

    func isOpen(_ login: Login) -> Bool {
        login.end == nil && login.isKept && login.expiry > configuration.seconds
    }

    /// A challenge that the server still knows, answered or not.
    func openLogin(_ id: String) -> Login? {
        logins[id].flatMap { $0.isKept && $0.expiry > configuration.seconds ? $0 : nil }
    }
}
