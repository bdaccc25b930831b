public import HTTPTypes
public import PushCore
public import PushTesting

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A tenant of PlusAuth: its push endpoints, its login pages and its users' credentials, in
/// process.
///
/// Users need no setup: each invited user exists. It never waits: all time comes from its clock.
/// It's written from the documentation alone and shares no code with the plugin but `PushJOSE`,
/// which is checked against other implementations, so that a mistake can't hide in both. What no
/// source says is marked UNCONFIRMED.
public actor PlusAuthSimulator: SimulatedService {
    /// The vendor's name, for people.
    public nonisolated let name = "PlusAuth"

    /// How the tenant is set up now.
    public private(set) var configuration: Configuration

    /// Where it is reached: scheme, host and port.
    public var origin: String { shell.origin }

    /// The latest 10,000 exchanges, oldest first.
    public var exchanges: [RecordedExchange] { shell.exchanges }

    var openInvitations: [String: OpenInvitation] = [:]
    var credentials: [PushCredential] = []
    var logins: [SimulatedLogin.ID: Login] = [:]
    var tokens: [String: IssuedToken] = [:]
    private var requests = RequestCounter()
    private var shell = SimulatorShell<Forced>(at: "https://tenant.plusauth.example")

    /// Creates a tenant without credentials.
    public init(_ configuration: Configuration = Configuration()) {
        self.configuration = configuration
    }

    /// Changes the configuration, such as between two requests.
    public func configure(_ change: @Sendable (inout Configuration) -> Void) {
        change(&configuration)
    }

    /// Says where the simulator is reached; invitations and pushes made from now on lead there.
    ///
    /// - Throws: `PushError` with the code `invalidArgument` for anything but scheme, host and
    ///   port.
    public func move(to origin: String) throws(PushError) {
        try shell.move(to: origin)
    }

    /// Replies with an error, without looking at the request; the next call first.
    ///
    /// - Parameters:
    ///   - status: The status, 300 to 599; others become the nearest of these.
    ///   - times: How many requests get it.
    ///   - retryAfter: The `Retry-After`, in whole seconds; `nil` for none.
    public func force(status: Int, times: Int = 1, retryAfter: Int? = nil) {
        let rejection = Rejection(
            status: min(max(status, 300), 599), error: Rejection.word(for: status),
            description: "Forced by the simulator.", retryAfter: retryAfter)
        shell.force(.rejection(rejection), times: times)
    }

    /// Replies with an error and no `Retry-After`, without looking at the request.
    public func force(status: Int, times: Int) {
        force(status: status, times: times, retryAfter: nil)
    }

    /// Lets a stranger reply, such as a gateway before the tenant: the request never gets here; the
    /// next call first.
    ///
    /// - Parameters:
    ///   - status: The status, 300 to 599; others become the nearest of these.
    ///   - page: The body.
    ///   - type: The body's `Content-Type`.
    ///   - times: How many requests get it.
    public func forceStranger(
        status: Int, page: String = "<html><body>Blocked by the gateway.</body></html>",
        type: String = "text/html", times: Int = 1
    ) {
        let reply = ServerReply(strangers: page, type, status: min(max(status, 300), 599))
        shell.force(.stranger(reply), times: times)
    }

    private enum Forced: Sendable {
        case rejection(Rejection)
        case stranger(ServerReply)
    }

    /// Answers an HTTP request.
    public func respond(
        to request: HTTPRequest, body: Data
    ) -> (response: HTTPResponse, body: Data) {
        let reply = reply(to: request, body)
        let http = reply.http
        shell.record(request, body, http)
        return http
    }

    private func reply(to request: HTTPRequest, _ body: Data) -> ServerReply {
        switch shell.takeForced() {
        case .rejection(let rejection): return ServerReply(rejection, as: configuration.errorBody)
        case .stranger(let reply): return reply
        case nil: break
        }
        do throws(Rejection) {
            try requests.count(at: configuration.clock.now, upTo: configuration.rateLimit)
            return try handle(request, body)
        } catch {
            return ServerReply(error, as: configuration.errorBody)
        }
    }

    /// The pushes sent since the last call, oldest first.
    public func takePushes() -> [SimulatedPush] {
        shell.takePushes()
    }

    func send(_ sent: [SimulatedPush]) {
        shell.send(sent)
    }

    /// A user's push credentials, the oldest first.
    public func devices(of user: String) -> [RegisteredDevice] {
        credentials.filter { $0.user == user }.map(\.device)
    }

    /// Removes a credential, as an administrator would (`DELETE /users/{id}/credentials/{id}`).
    ///
    /// Its device isn't told. Pushes that it got before can't be answered any more.
    ///
    /// - Throws: `PushError` with the code `notFound` if there is none.
    public func removeCredential(_ id: RegisteredDevice.ID) throws(PushError) {
        guard let index = credentials.firstIndex(where: { $0.id == id }) else {
            throw PushError(.notFound, "There is no such credential.")
        }
        credentials.remove(at: index)
    }

    /// A lower-case UUID that wasn't used before.
    func identifier() -> String {
        configuration.random.uuid().lowercased()
    }
}
