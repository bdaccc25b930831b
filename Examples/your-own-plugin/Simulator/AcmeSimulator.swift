import Crypto
public import Foundation
public import HTTPTypes
public import PushCore
public import PushTesting

/// Acme's server, in process. It shares no code with the provider, so that a mistake can't hide in
/// both, and it checks everything that Acme checks.
///
/// A device posts `{"acme": CLAIMS, "mac": MAC}` to the URL in its code, `/devices/DEVICE`. Acme
/// replies 200 once it has done what the claims say; the same answer again is the same answer, for
/// which Acme replies 200 as before. The other replies are 400 for what can't be read, 403 for a
/// wrong MAC, 404 for a device or a login that isn't there, 409 for a login that has another
/// answer, and 410 for one that got none in time.
public actor AcmeSimulator: VendorSimulator {
    /// The vendor's name, for people.
    public nonisolated let name = "Acme"

    /// How long a login can be answered, in seconds.
    public static let timeLimit = 120

    private struct Device {
        let user: String
        let key: Secret
        var token: String?
    }

    private struct Login {
        let user: String
        let expiry: Date
        var answer: (device: String, isYes: Bool)?
    }

    private let clock: any PushClock
    private let random: any RandomSource
    private var origin = "https://acme.example"
    private var devices: [String: Device] = [:]
    private var logins: [SimulatedLogin.ID: Login] = [:]
    private var pushes: [SimulatedPush] = []

    /// Creates a server without users.
    public init(clock: any PushClock = SystemClock(), random: any RandomSource = SystemRandom()) {
        (self.clock, self.random) = (clock, random)
    }

    /// Says where the simulator is reached; invitations made from now on lead there.
    public func move(to origin: String) {
        self.origin = origin
    }

    /// The pushes sent since the last call, oldest first.
    public func takePushes() -> [SimulatedPush] {
        defer { pushes = [] }
        return pushes
    }

    /// Makes a device for a user, and the code that hands it over.
    public func invitation(for user: String) -> Invitation {
        let device = random.uuid()
        let key = random.bytes(32)
        devices[device] = Device(user: user, key: key)
        let code: JSON = [
            "url": .string("\(origin)/devices/\(device)"), "device": .string(device),
            "account": .string(user),
            "key": .string(key.withBytes { Data($0).base64EncodedString() }),
        ]
        return .scanned(text: "acme:" + code.text)
    }

    /// Starts a login, and pushes it to all of the user's devices. Acme asks for a yes or a no alone.
    public func startLogin(
        of user: String, asking kind: SimulatedLogin.Kind
    ) throws(PushError) -> SimulatedLogin {
        guard kind == .confirm else {
            throw PushError(.unsupported, "Acme asks for a yes or a no alone.")
        }
        let id = random.uuid()
        let expiry = clock.now + Double(Self.timeLimit)
        logins[id] = Login(user: user, expiry: expiry)
        try push(id, "login", to: devices.filter { $0.value.user == user }.map(\.key))
        return SimulatedLogin(id: id)
    }

    /// Where a login stands, as its page would find out.
    public func status(of id: SimulatedLogin.ID) throws(PushError) -> SimulatedLogin.Status {
        guard let login = logins[id] else { throw PushError(.notFound, "No such login.") }
        if let answer = login.answer { return answer.isYes ? .approved : .denied }
        return clock.now > login.expiry ? .expired : .waiting
    }

    // MARK: Pushes

    /// What Acme signs to announce a login, or to tell that it has an answer.
    public func claims(of id: SimulatedLogin.ID, kind: String) throws(PushError) -> JSON {
        guard let login = logins[id] else { throw PushError(.notFound, "No such login.") }
        let expiry = Int64(login.expiry.timeIntervalSince1970)
        return [
            "kind": .string(kind), "challenge": .string(id), "expires": .number(.init(expiry)),
            "text": .string("\(login.user) signs in at Acme."), "prompt": "confirm",
        ]
    }

    /// Makes a push of any claims, sensible or not.
    ///
    /// - Parameters:
    ///   - claims: What it says.
    ///   - device: The device that it goes to.
    ///   - key: What it is signed with; the device's own key unless given, so any other forges it.
    /// - Returns: The push.
    /// - Throws: `PushError` with the code `notFound` if there is no such device.
    public func sign(
        _ claims: JSON, for device: String, with key: Secret? = nil
    ) throws(PushError) -> SimulatedPush {
        guard let known = devices[device], let token = known.token else {
            throw PushError(.notFound, "No such device, or none that has registered.")
        }
        let mac = Self.mac(of: claims.data, by: key ?? known.key)
        let payload: JSON = [
            "device": .string(device), "acme": .string(claims.text),
            "mac": .string(mac.base64EncodedString()),
        ]
        return SimulatedPush(to: .fcm(token), payload: payload.data)
    }

    private func push(
        _ id: SimulatedLogin.ID, _ kind: String, to names: [String]
    ) throws(PushError) {
        for name in names.sorted() where devices[name]?.token != nil {
            pushes.append(try sign(try claims(of: id, kind: kind), for: name))
        }
    }

    private static func mac(of data: Data, by key: Secret) -> Data {
        let key = key.withBytes { SymmetricKey(data: $0) }
        return Data(HMAC<SHA256>.authenticationCode(for: data, using: key))
    }

    // MARK: Requests

    /// Answers an HTTP request.
    public func respond(
        to request: HTTPRequest, body: Data
    ) -> (response: HTTPResponse, body: Data) {
        let status: Int
        do throws(PushError) {
            status = try take(request, body)
        } catch {
            status = 400
        }
        var response = HTTPResponse(status: .init(code: status))
        response.headerFields[.date] = Self.text(of: clock.now)
        return (response, Data())
    }

    private func take(_ request: HTTPRequest, _ body: Data) throws(PushError) -> Int {
        let path = (request.path ?? "").split(separator: "/").map(String.init)
        guard request.method == .post, path.count == 2, path[0] == "devices",
            let device = devices[path[1]]
        else { return 404 }
        let envelope = try JSON(parsing: body)
        guard let text = envelope["acme"]?.string,
            let mac = Data(base64Encoded: envelope["mac"]?.string ?? "")
        else { return 400 }
        let expected = Secret(Self.mac(of: Data(text.utf8), by: device.key))
        guard expected.isEqualInConstantTime(to: Secret(mac)) else { return 403 }
        let claims = try JSON(parsing: text)
        switch claims["do"]?.string {
        case "register":
            guard let token = claims["token"]?.string else { return 400 }
            devices[path[1]]?.token = token
            return 200
        case "answer":
            guard let id = claims["challenge"]?.string, let isYes = claims["approve"]?.bool else {
                return 400
            }
            return try answer(id, isYes, by: path[1])
        default: return 400
        }
    }

    private func answer(
        _ id: SimulatedLogin.ID, _ isYes: Bool, by device: String
    ) throws(PushError) -> Int {
        guard let login = logins[id], let user = devices[device]?.user, login.user == user else {
            return 404
        }
        if let answer = login.answer { return answer == (device, isYes) ? 200 : 409 }
        guard clock.now <= login.expiry else { return 410 }
        logins[id]?.answer = (device, isYes)
        let others = devices.filter { $0.value.user == user && $0.key != device }
        try push(id, "answered", to: others.map(\.key))
        return 200
    }

    /// A moment as a header has it (RFC 9110, section 5.6.7).
    private static func text(of date: Date) -> String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return formatter.string(from: date)
    }
}
