import Crypto
import Foundation
import HTTPTypes
import PushCore
import PushFuzzing
import PushOneSpan
import PushOneSpanReference
import PushOneSpanSimulator
import PushTesting

/// A user's device, activated at a simulated platform; and what that platform seals for it.
struct ActivatedDevice: Sendable {
    static let now = Date(timeIntervalSince1970: 1_767_225_000)

    /// The enrollment's name: 32 hexadecimal digits.
    let name: String

    /// The records as they are after activating. A push may change them, and no input must depend on
    /// those before it.
    private let records: [(key: RecordKey, value: Secret)]
    private let configuration: OpenReferenceEngine.Configuration
    private let serverKey: SymmetricKey

    init() async throws {
        let clock = ManualClock(Self.now)
        let simulator = OneSpanSimulator(.init(clock: clock, random: SeededRandom(seed: 1)))
        configuration = try OpenReferenceEngine.Configuration(
            domain: simulator.domain, serverKeys: [simulator.serverKey], pbkdf2Iterations: 1)
        let store = InMemoryStore()
        let (provider, environment) = try Self.phone(
            configuration, store, SimulatedTransport(to: simulator))
        let invitation = try await simulator.invitation(for: "alice")
        guard let offer = try provider.enroller.offer(invitation) else {
            throw PushError(.invalidInvitation, "Not an activation password.")
        }
        let enrollment = try await provider.enroller.enroll(
            offer, with: [.pin(Secret(Array("135790".utf8)))], deviceToken: .fcm("example"))
        name = enrollment.id.name
        let key = RecordKey(
            "enrollment", try await store.names(in: "enrollment").first ?? "")
        guard enrollment.state == .active, let record = try await store.read(key) else {
            throw PushError(.notFound, "The device isn't stored.")
        }
        records = [(key, record.value)]
        let account = try await environment.accounts(for: provider.id).existing(enrollment.id)
        serverKey = try Inner.oocServerKey(of: account).withBytes { SymmetricKey(data: $0) }
    }

    /// A phone, with the device as it was activated. Its server never answers.
    func phone() async throws -> (provider: OneSpan, environment: PushEnvironment) {
        let store = InMemoryStore()
        for record in records {
            try await store.write(record.value, for: record.key, replacing: nil)
        }
        let silence = SimulatedTransport { _, _ in
            (HTTPResponse(status: .serviceUnavailable), Data())
        }
        return try Self.phone(configuration, store, silence)
    }

    private static func phone(
        _ configuration: OpenReferenceEngine.Configuration, _ store: InMemoryStore,
        _ transport: SimulatedTransport
    ) throws -> (provider: OneSpan, environment: PushEnvironment) {
        let environment = PushEnvironment(
            transport: transport, store: store, verifier: ScriptedVerifier.willing(),
            clock: ManualClock(now), random: SeededRandom(seed: 2),
            device: Device(name: "Example", platform: .other))
        let provider = OneSpan(
            engine: OpenReferenceEngine(configuration, in: environment),
            relay: HTTPCommandRelay(
                try Endpoint("https://app.example.com/commands"), in: environment),
            configuration: .init(identifiers: OpenNotificationIdentifiers()), in: environment)
        return (provider, environment)
    }

    /// A push of a command with this body, whatever it is, that the platform sealed.
    func push(sealing body: Data, type: UInt8) throws -> Data {
        let head =
            Array("OOC1".utf8) + [1, type, 1, 1] + Self.bytes(name)
            + [UInt8](repeating: 0x40, count: 16) + [0, 0, 0, 0, 0, 0, 0, 1]
            + (0..<4).reversed().map { UInt8(truncatingIfNeeded: body.count >> ($0 * 8)) }
        let box = try AES.GCM.seal(
            body, using: key(head), nonce: AES.GCM.Nonce(data: Data(count: 12)),
            authenticating: head)
        let hex = (head + box.ciphertext + box.tag).map { byte in
            String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
        }
        return Data(#"{"oos":{"v":1,"content":"\#(hex.joined())"}}"#.utf8)
    }

    /// The body of a command that the platform sealed for this device, told without the plugin; `nil`
    /// for any other text.
    func opened(_ hex: String) -> Data? {
        let bytes = Self.bytes(hex)
        guard bytes.count >= 68, bytes[0..<4].elementsEqual("OOC1".utf8),
            [0x20, 0x30].contains(bytes[5]), bytes[8..<24].elementsEqual(Self.bytes(name))
        else { return nil }
        let head = Array(bytes[0..<52])
        guard
            let box = try? AES.GCM.SealedBox(
                nonce: AES.GCM.Nonce(data: Data(count: 12)),
                ciphertext: bytes[52..<(bytes.count - 16)], tag: bytes.suffix(16))
        else { return nil }
        return try? AES.GCM.open(box, using: key(head), authenticating: head)
    }

    private func key(_ head: [UInt8]) -> SymmetricKey {
        HKDF<SHA256>.expand(
            pseudoRandomKey: serverKey, info: Array("OOC1 msg".utf8) + head, outputByteCount: 32)
    }

    private static func bytes(_ hex: String) -> [UInt8] {
        let digits = Array(hex.utf8)
        return stride(from: 0, to: digits.count - digits.count % 2, by: 2).compactMap { index in
            UInt8(String(decoding: digits[index..<index + 2], as: UTF8.self), radix: 16)
        }
    }
}
