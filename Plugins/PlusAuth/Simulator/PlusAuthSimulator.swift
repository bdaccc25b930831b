public import PushCore
public import PushTesting

/// A tenant of PlusAuth: its push endpoints, its login pages and its users' credentials, in
/// process.
///
/// Users need no setup: each invited user exists. It never waits: all time comes from its clock.
/// It's written from the documentation alone and shares no code with the plugin but PushCore's
/// JSON and `PushJOSE`, which is checked against other implementations, so that a mistake can't hide
/// in both. What no source says is marked UNCONFIRMED.
public actor PlusAuthSimulator: SimulatedService, ShelledService {
    /// The vendor's name, for people.
    public nonisolated let name = "PlusAuth"

    /// How the tenant is set up now.
    public package(set) var configuration: Configuration

    var openInvitations: [String: OpenInvitation] = [:]
    var credentials: [PushCredential] = []
    var logins: [SimulatedLogin.ID: Login] = [:]
    var tokens: [String: IssuedToken] = [:]
    private var requests = RequestCounter()
    package var shell = SimulatorShell(at: "https://tenant.plusauth.example")
    private var forced = FaultQueue<Forced>()

    /// Creates a tenant without credentials.
    public init(_ configuration: Configuration = Configuration()) {
        self.configuration = configuration
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
        forced.add(.rejection(rejection), times: times)
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
        forced.add(.stranger(reply), times: times)
    }

    private enum Forced {
        case rejection(Rejection)
        case stranger(ServerReply)
    }

    package func reply(to request: SimulatedRequest) -> SimulatedReply {
        serverReply(to: request).http
    }

    private func serverReply(to request: SimulatedRequest) -> ServerReply {
        switch forced.take() {
        case .rejection(let rejection): return ServerReply(rejection, as: configuration.errorBody)
        case .stranger(let reply): return reply
        case nil: break
        }
        do throws(Rejection) {
            try requests.count(at: configuration.clock.now, upTo: configuration.rateLimit)
            return try handle(request.head, request.body)
        } catch {
            return ServerReply(error, as: configuration.errorBody)
        }
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
