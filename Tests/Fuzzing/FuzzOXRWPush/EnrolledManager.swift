import Crypto
import Foundation
import HTTPTypes
import PushCore
import PushTesting
import PushXignIn
import PushXignInReference
import PushXignInSimulator

/// A device that is personalized at one manager, whose key is the one that the seeds are signed with.
struct EnrolledManager: Sendable {
    static let name = "idm-demo-1"
    static let keyName = "zjFBcYCAgY53SWtyI9Poi3RZqc-Chd4xGybwdLMfnds"
    static let now = Date(timeIntervalSince1970: 1_767_225_630)

    private static let activation = "act-5f2c1b"

    /// The key of the worked example, in `Tests/PushXignInTests/Vectors/worked-example.json`. No
    /// manager has it.
    private let key: P256.Signing.PrivateKey

    /// The record as it is after personalizing. A push may change it, and no input must depend on
    /// those before it.
    private let records: [(key: RecordKey, value: Secret)]

    init() async throws {
        let scalar = Self.data("BtdUhIvYLcoFo7Q1yYj2Tb-_5WcJM17qDJCd62FYPKc") ?? Data()
        key = try P256.Signing.PrivateKey(rawRepresentation: scalar)
        let clock = ManualClock(Self.now)
        var configuration = XignInSimulator.Configuration(identifier: Self.name, clock: clock)
        configuration.signingKey = key
        configuration.makeIdentifier = { kind, random in
            kind == .activation ? Self.activation : kind.made(from: random)
        }
        let simulator = XignInSimulator(configuration)
        let store = InMemoryStore()
        let provider = Self.phone(store, SimulatedTransport(to: simulator)).provider
        let invitation = await simulator.invitation(for: "alice")
        guard let offer = try provider.enroller.offer(invitation) else {
            throw PushError(.invalidInvitation, "Not an activation link.")
        }
        let enrollment = try await provider.enroller.enroll(
            offer, with: [.pin(Secret(Array("24680".utf8)))], deviceToken: nil)
        var records: [(RecordKey, Secret)] = []
        for name in try await store.names(in: "enrollment") {
            let key = RecordKey("enrollment", name)
            if let record = try await store.read(key) { records.append((key, record.value)) }
        }
        guard enrollment.state == .active, records.count == 1 else {
            throw PushError(.notFound, "The activation isn't stored.")
        }
        self.records = records
    }

    /// A phone, with the activation as it was made. Its manager never answers.
    func phone() async throws -> (provider: XignIn, environment: PushEnvironment) {
        let store = InMemoryStore()
        for record in records {
            try await store.write(record.value, for: record.key, replacing: nil)
        }
        let silence = SimulatedTransport { _, _ in
            (HTTPResponse(status: .serviceUnavailable), Data())
        }
        return Self.phone(store, silence)
    }

    private static func phone(
        _ store: InMemoryStore, _ transport: SimulatedTransport
    ) -> (provider: XignIn, environment: PushEnvironment) {
        // The clock stands still, so nothing may wait for it.
        let format = OpenReferenceWireFormat(keyWait: .zero)
        var configuration = XignIn.Configuration(wireFormat: format)
        configuration.pinIterations = 1
        let environment = PushEnvironment(
            transport: transport, store: store, verifier: ScriptedVerifier.willing(),
            clock: ManualClock(now), device: Device(name: "Example", platform: .other))
        return (XignIn(configuration: configuration, in: environment), environment)
    }

    /// A push whose claims, whatever they are, the manager signed.
    func push(signing claims: Data) throws -> Data {
        let header =
            #"{"alg":"ES256","typ":"oxrw-push+jwt","kid":"\#(Self.keyName)","idm":"\#(Self.name)"}"#
        let input = "\(Self.url(Data(header.utf8))).\(Self.url(claims))"
        let signature = try key.signature(for: Data(input.utf8)).rawRepresentation
        return Data(#"{"oxrw":"1","oxrw_msg":"\#(input).\#(Self.url(signature))"}"#.utf8)
    }

    /// The claims of a push that the manager signed for this activation, told without the SDK; `nil`
    /// for any other text.
    func claims(of text: String) -> [String: Any]? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 3, let header = Self.data(parts[0]), let body = Self.data(parts[1]),
            let raw = Self.data(parts[2]),
            let signature = try? P256.Signing.ECDSASignature(rawRepresentation: raw),
            key.publicKey.isValidSignature(signature, for: Data("\(parts[0]).\(parts[1])".utf8)),
            let members = try? JSONSerialization.jsonObject(with: header) as? [String: Any],
            let claims = try? JSONSerialization.jsonObject(with: body) as? [String: Any],
            members["alg"] as? String == "ES256",
            members["typ"] as? String == "oxrw-push+jwt",
            members["idm"] as? String == Self.name,
            claims["iss"] as? String == Self.name,
            claims["aud"] as? String == Self.activation
        else { return nil }
        return claims
    }

    private static func url(_ data: Data) -> String {
        data.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
            .replacing("=", with: "")
    }

    private static func data(_ url: String) -> Data? {
        let text = url.replacing("-", with: "+").replacing("_", with: "/")
        return Data(base64Encoded: text + String(repeating: "=", count: (4 - text.count % 4) % 4))
    }
}
