public import HTTPTypes
public import PushCore
public import PushTesting

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A Keycloak realm with the push MFA extension, in process: its token endpoint, its keys, the
/// extension's calls for devices, and the login page's view of them.
///
/// It takes what the server takes and refuses what the server refuses, down to the status and the
/// text, in the server's order. Users need no setup: each invited user exists. It never waits: all
/// time comes from its clock. It's written from what is known of the wire, shares no code with the
/// plugin but PushCore's JSON and the Base64 of `PushJOSE`, and uses the package's public API
/// alone. What no source says is marked UNCONFIRMED.
public actor KeycloakSimulator: SimulatedService {
    /// The vendor's name, for people.
    public nonisolated let name = "Keycloak"

    /// How the realm is set up now.
    public private(set) var configuration: Configuration

    /// Where it is reached: scheme, host and port.
    public private(set) var origin = "https://sso.example"

    /// The latest 10,000 exchanges, oldest first.
    public private(set) var exchanges: [RecordedExchange] = []

    var users: [String: User] = [:]
    var enrollments: [String: PendingEnrollment] = [:]
    var logins: [SimulatedLogin.ID: Login] = [:]
    var keys: [RealmKey]
    var accessTokens: [String: Date] = [:]
    var usedProofs: [String: Date] = [:]
    private var pushes: [SimulatedPush] = []
    private var messages: [JSON] = []
    private var forced: [ServerReply] = []

    /// Creates a realm without users.
    ///
    /// - Parameters:
    ///   - configuration: How it is set up.
    ///   - keys: The keys that it has already, the preferred first. It makes what it lacks when it
    ///     first signs.
    public init(_ configuration: Configuration = Configuration(), keys: [RealmKey] = []) {
        self.configuration = configuration
        self.keys = keys
    }

    // MARK: Set-up

    /// Changes the configuration between two requests.
    public func configure(_ change: @Sendable (inout Configuration) -> Void) {
        change(&configuration)
    }

    /// Says where the simulator is reached; what it makes from now on leads there.
    ///
    /// - Throws: `PushError` with the code `invalidArgument` for anything but scheme, host and
    ///   port.
    public func move(to origin: String) throws(PushError) {
        guard let endpoint = try? Endpoint(origin),
            origin == "\(endpoint.scheme)://\(endpoint.authority)"
        else { throw PushError(.invalidArgument, "An origin is scheme, host and port.") }
        self.origin = origin
    }

    /// The realm's address, which its tokens name as `iss`.
    public var issuer: String { origin + configuration.path }

    // MARK: Trouble

    /// Replies with an error of the server, without looking at the request; the next call first.
    ///
    /// - Parameters:
    ///   - status: The status, 300 to 599; others become the nearest of these.
    ///   - times: How many requests get it.
    ///   - error: The text of the error.
    ///   - retryAfter: The `Retry-After`, in whole seconds; `nil` for none.
    public func force(status: Int, times: Int, error: String, retryAfter: Int? = nil) {
        let body: JSON = ["error": .string(error)]
        let reply = ServerReply(
            min(max(status, 300), 599), type: "application/json", body.data)
        add(retryAfter.map { reply.with(.retryAfter, "\($0)") } ?? reply, times)
    }

    /// Replies with the error `unknown_error`, without looking at the request.
    public func force(status: Int, times: Int = 1) {
        force(status: status, times: times, error: "unknown_error")
    }

    /// Lets a stranger reply, such as a gateway before the server: the request never gets here; the
    /// next call first.
    ///
    /// - Parameters:
    ///   - status: The status, 200 to 599; others become the nearest of these.
    ///   - body: The body; `nil` for a page for people.
    ///   - type: The body's `Content-Type`.
    ///   - times: How many requests get it.
    public func forceStranger(
        status: Int, body: String? = nil, type: String = "application/json", times: Int = 1
    ) {
        let status = min(max(status, 200), 599)
        let reply = body.map { ServerReply(status, type: type, Data($0.utf8)) }
        add(reply ?? ServerReply(pageWith: status), times)
    }

    private func add(_ reply: ServerReply, _ times: Int) {
        forced.append(contentsOf: repeatElement(reply, count: max(times, 0)))
    }

    // MARK: Traffic

    /// Answers an HTTP request.
    public func respond(
        to request: HTTPRequest, body: Data
    ) async -> (response: HTTPResponse, body: Data) {
        let reply = forced.isEmpty ? answer(request, body) : forced.removeFirst()
        let dated = configuration.sendsDate ? reply.with(.date, configuration.now.httpText) : reply
        let (response, data) = dated.http
        if exchanges.count == 10_000 { exchanges.removeFirst() }
        exchanges.append(
            RecordedExchange(request: request, body: body, response: response, responseBody: data))
        return (response, data)
    }

    private func answer(_ request: HTTPRequest, _ body: Data) -> ServerReply {
        do throws(Refusal) {
            return try handle(Call(request, body))
        } catch {
            return ServerReply(error, to: request)
        }
    }

    /// The pushes sent since the last call, oldest first.
    public func takePushes() -> [SimulatedPush] {
        defer { pushes = [] }
        return pushes
    }

    /// The requests to Firebase's HTTP v1 API since the last call, oldest first; the latest 10,000.
    public func takeFirebaseMessages() -> [JSON] {
        defer { messages = [] }
        return messages
    }

    func send(_ push: SimulatedPush, asking firebase: JSON?) {
        pushes.append(push)
        guard let firebase else { return }
        if messages.count == 10_000 { messages.removeFirst() }
        messages.append(firebase)
    }
}
