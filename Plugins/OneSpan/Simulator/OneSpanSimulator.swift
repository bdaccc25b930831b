import Crypto
import PushCore
public import PushTesting

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// OneSpan's Trusted Identity platform, and a customer's application server in front of it.
///
/// The app posts its commands to the customer's server, which relays them to the platform. Both are
/// this one value: the customer's server at ``Configuration/commandPath``, the platform's services
/// below `/v1`, as far as its public documentation and public integrations show them. Invitations
/// don't tell where it is reached: the app knows its server.
///
/// Commands are OOC/1, the open reference format of this project. It is **not** OneSpan's format,
/// which isn't published, and works with no server of OneSpan's. The server side here shares no
/// code with the plugin but PushCore's JSON and hexadecimal, so that a mistake can't hide in both.
///
/// It waits only where its clock is told to: for a reply that is held back or delayed, and in a
/// login whose `timeout` is above 0.
public actor OneSpanSimulator: SimulatedService, ShelledService {
    /// The vendor's name, for people.
    public nonisolated let name = "OneSpan"

    /// The tenant's domain, in lower case.
    public nonisolated let domain: String

    /// The server's static public key that a device pins: an uncompressed point of P-256, 65 bytes.
    public nonisolated let serverKey: Data

    /// How it is set up now. The domain stays.
    public package(set) var configuration: Configuration

    var serverPrivateKeys: [P256.KeyAgreement.PrivateKey]
    var accounts: [String: Account] = [:]
    var registrations: [[UInt8]: Registration] = [:]
    var devices: [[UInt8]: Device] = [:]
    var savedDevices: [String: [Device]] = [:]
    var requests: [String: Request] = [:]
    var requestOrder: [String] = []
    var cache = ReplyCache()
    var accountCount = 0
    var registrationCount = 0
    var correlationCount = 0

    var pushService = PushService()
    var replyFaults: [ReplyFault] = []
    var relayFaults: [RelayFault] = []
    var bodyFault: ReplyFault?
    var previousReply: CommandReply?
    var heldReplies: [CheckedContinuation<Void, Never>] = []

    /// Who waits until a reply is held back.
    var holdWatchers: [CheckedContinuation<Void, Never>] = []
    var waiting: [String: [CheckedContinuation<Void, Never>]] = [:]
    package var shell = SimulatorShell(at: "https://app.example.com")
    private var forced = FaultQueue<Int>()

    /// Creates a tenant without users.
    public init(_ configuration: Configuration = Configuration()) {
        self.configuration = configuration
        domain = configuration.domain.lowercased()
        let key = P256.KeyAgreement.PrivateKey(drawnFrom: configuration.random)
        serverPrivateKeys = [key]
        serverKey = key.publicKey.x963Representation
    }

    /// The URL that the app posts its commands to.
    public var commandURL: String { origin + configuration.commandPath }

    /// Replies with a status, without looking at the request; the next request first.
    public func force(status: Int, times: Int = 1) {
        forced.add(status, times: times)
    }

    package func reply(to request: SimulatedRequest) async -> SimulatedReply {
        let reply: ServiceReply =
            if let status = forced.take() {
                .failure(status, "Forced by the simulator.")
            } else { await answer(request.head, request.body) }
        return reply.http(correlation: nextCorrelation())
    }

    func nextCorrelation() -> String {
        correlationCount += 1
        return "simulated-\(correlationCount)"
    }

    /// The pushes delivered since the last call, oldest first.
    public func takePushes() -> [SimulatedPush] { pushService.takeDelivered() }
}
