import HTTPTypes
import PushCore
public import PushTesting

/// A privacyIDEA server: its push endpoint, its gateways and the face it shows a relying party, in
/// process.
///
/// It takes what the server takes and refuses what the server refuses, down to the status and the
/// code, in the ``Configuration/generation`` it is told to be. Users need no setup: each invited
/// user exists. It never waits: all time comes from its clock. It's written from published behavior
/// and from measurements of running servers, and shares no code with the plugin but `PushJOSE` and
/// PushCore's JSON, so that a mistake can't hide in both. What no source says is marked UNCONFIRMED.
public actor PrivacyIDEASimulator: SimulatedService, ShelledService {
    /// The vendor's name, for people.
    public nonisolated let name = "privacyIDEA"

    /// How the server is set up now.
    public package(set) var configuration: Configuration

    var tokens: [String: PushToken] = [:]
    var transactions: [SimulatedLogin.ID: Transaction] = [:]
    var blockedUsers: Set<String> = []
    private var gatewayRequests: [GatewayRequest] = []
    package var shell = SimulatorShell(at: "https://pi.example.com")
    private var forced = FaultQueue<ServerReply>()

    /// Creates a server without tokens.
    public init(_ configuration: Configuration = Configuration()) {
        self.configuration = configuration
    }

    /// Replies with an error of the server, without looking at the request; the next call first.
    ///
    /// - Parameters:
    ///   - status: The status, 300 to 599; others become the nearest of these.
    ///   - times: How many requests get it.
    ///   - code: The number in the body.
    ///   - retryAfter: The `Retry-After`, in whole seconds; `nil` for none.
    public func force(status: Int, times: Int, code: Int, retryAfter: Int? = nil) {
        let refusal = Refusal(Self.usable(status), code, "Forced by the simulator.")
        var reply = ServerReply(refusal, by: configuration, to: RequestFields([]))
        reply.retryAfter = retryAfter
        forced.add(reply, times: times)
    }

    /// Replies with an error of the server with the code −500, without looking at the request.
    public func force(status: Int, times: Int = 1) {
        force(status: status, times: times, code: -500)
    }

    /// Lets a stranger reply, such as a gateway before the server, with a page for people: the
    /// request never gets here; the next call first.
    ///
    /// - Parameters:
    ///   - status: The status, 200 to 599; others become the nearest of these.
    ///   - times: How many requests get it.
    public func forcePage(status: Int, times: Int = 1) {
        forced.add(ServerReply(pageWith: min(max(status, 200), 599), configuration), times: times)
    }

    private static func usable(_ status: Int) -> Int { min(max(status, 300), 599) }

    package func reply(to request: SimulatedRequest) -> SimulatedReply {
        (forced.take() ?? serverReply(to: request)).http
    }

    private func serverReply(to received: SimulatedRequest) -> ServerReply {
        let request = received.head
        let parts = (request.path ?? "").split(
            separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard let path = parts.first, path == configuration.path else {
            return ServerReply(pageWith: 404, configuration)
        }
        guard request.method == .get || request.method == .post else {
            return ServerReply(pageWith: 405, configuration)
        }
        let query = parts.count > 1 ? String(parts[1]) : ""
        let fields =
            request.method == .get
            ? RequestFields(query: query, of: request) : RequestFields(of: request, received.body)
        do throws(Refusal) {
            let success = try handle(fields, isPoll: request.method == .get)
            return ServerReply(success, by: configuration, to: fields)
        } catch {
            return ServerReply(error, by: configuration, to: fields)
        }
    }

    private func handle(_ fields: RequestFields, isPoll: Bool) throws(Refusal) -> Success {
        if isPoll { return try poll(fields) }
        if fields["new_fb_token"] != nil { return try updateToken(fields) }
        if fields["enrollment_credential"] != nil || fields["pubkey"] != nil {
            return try enroll(fields)
        }
        return try answer(fields)
    }

    /// The requests to gateways since the last call, oldest first; the latest 10,000 of them.
    public func takeGatewayRequests() -> [GatewayRequest] {
        defer { gatewayRequests = [] }
        return gatewayRequests
    }

    func send(_ push: SimulatedPush?, by request: GatewayRequest) {
        if gatewayRequests.count == 10_000 { gatewayRequests.removeFirst() }
        gatewayRequests.append(request)
        if let push { shell.send([push]) }
    }
}
