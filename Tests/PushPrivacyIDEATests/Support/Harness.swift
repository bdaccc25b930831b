import Foundation
import HTTPTypes
import PushCore
import PushTesting
import Testing

@testable import PushPrivacyIDEA

/// One app: everything but the vendor is real, and the vendor says what the test wants.
struct Harness {
    /// 22 November 2026, 12:00 UTC.
    static let now = Date(timeIntervalSince1970: 1_795_348_800)

    static let token = DeviceToken.fcm("dA1:APA91b_x-Y")

    let store: InMemoryStore
    let reads: CountingStore
    let clock: ManualClock
    let observer = RecordingObserver()
    let verifier = ScriptedVerifier.willing()
    let faults = FaultPlan()
    let server: ScriptedServer
    let transport: SimulatedTransport
    let vault: Vault
    let provider: PrivacyIDEA
    let authenticator: PushAuthenticator
    let vectors: Vectors

    /// Creates an app whose tokens have the device key of the examples. Nothing asks the server but
    /// what a test does.
    init(
        _ change: (inout PrivacyIDEA.Configuration) -> Void = { _ in },
        keys: [String] = ["device", "otherDevice"], asksAfterPush: Bool = false,
        sharing other: Harness? = nil
    ) async throws {
        store = other?.store ?? InMemoryStore()
        let vectors = try Vectors()
        self.vectors = vectors
        let clock = ManualClock(Self.now)
        self.clock = clock
        let server = ScriptedServer(clock: clock)
        self.server = server
        for (host, key) in [
            ("pi.example.com", "server"), ("other.example.com", "otherServer"),
            ("pi.example.com:8443", "otherServer"),
        ] {
            await server.setKey(try vectors.text("keys", key, "pkcs1"), of: host)
        }
        transport = SimulatedTransport(faults: faults) { await server.respond(to: $0, body: $1) }
        reads = CountingStore(store)
        let environment = Environment(
            transport: transport, store: reads, verifier: verifier, clock: clock,
            device: Device(name: "Pixel 8", platform: .android), observer: observer)
        vault = environment.vault(for: "privacyidea")
        var configuration = PrivacyIDEA.Configuration()
        change(&configuration)
        let queue = KeyQueue(try keys.map { try vectors.key($0).deviceKey() })
        provider = PrivacyIDEA(
            configuration: configuration,
            keys: DeviceKeySource { (_) async throws(PushError) in try await queue.next() },
            in: environment)
        var policies = Policies()
        policies.asksAfterPush = asksAfterPush
        authenticator = PushAuthenticator(
            try PluginRegistry([provider]), in: environment, policies: policies)
    }

    /// A harness with one token.
    static func enrolled(
        _ code: EnrollmentCode = EnrollmentCode(), asksAfterPush: Bool = false,
        _ change: (inout PrivacyIDEA.Configuration) -> Void = { _ in }
    ) async throws -> Harness {
        let harness = try await Harness(change, asksAfterPush: asksAfterPush)
        try await harness.enroll(code)
        return harness
    }

    @discardableResult
    func enroll(_ code: EnrollmentCode = EnrollmentCode()) async throws -> Enrollment {
        let offers = try authenticator.offers(for: .scanned(text: code.text))
        return try await authenticator.enroll(try #require(offers.first))
    }

    var id: Enrollment.ID {
        Enrollment.ID("PIPU0001ABCD@https://pi.example.com", of: "privacyidea")
    }

    /// Receives a push that must announce something, and opens it while the server lists it.
    func challenge(_ json: JSON) async throws -> Challenge {
        await server.list(json)
        let message = try PushMessage(json: json.data)
        let reception = try #require(await authenticator.receive(message).first)
        guard case .notice(let notice, _) = reception.kind else {
            Issue.record("It is \(reception.kind), not a notice.")
            throw NothingThrown()
        }
        return try await authenticator.challenge(notice.id)
    }

    func challenge(
        _ change: (inout SignedChallenge) -> Void = { _ in }
    ) async throws -> Challenge {
        var signed = SignedChallenge()
        change(&signed)
        return try await challenge(try signed.json(by: vectors.key("server")))
    }

    /// What was sent of a kind, oldest first: the form's or the query's text.
    func sent(_ kind: ScriptedServer.Kind) async -> [String] {
        await transport.exchanges.compactMap { exchange in
            guard ScriptedServer.kind(of: exchange.request, exchange.body) == kind else {
                return nil
            }
            guard kind == .poll else { return String(decoding: exchange.body, as: UTF8.self) }
            return exchange.request.path.flatMap { path in
                path.firstIndex(of: "?").map { String(path[path.index(after: $0)...]) }
            }
        }
    }
}

extension Harness {
    /// The fields of what was sent of a kind last.
    func lastForm(_ kind: ScriptedServer.Kind) async throws -> FormText {
        let text = try #require(await sent(kind).last)
        return try #require(FormText(text))
    }
}

/// A code as a server shows it, changed as a test wants.
struct EnrollmentCode {
    var parameters = [
        "url": "https%3A//pi.example.com/ttype/push", "ttl": "10", "issuer": "privacyIDEA",
        "enrollment_credential": "978e752a04f33207fd12a550b5a0277fce801a75", "v": "1",
        "serial": "PIPU0001ABCD", "sslverify": "1", "poll_only": "False",
    ]

    init(_ changes: [String: String?] = [:]) {
        for (name, value) in changes { parameters[name] = value }
    }

    var text: String {
        let query = parameters.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        return "otpauth://pipush/ada?\(query.joined(separator: "&"))"
    }
}

/// Keys, handed out in order; the last one again and again.
private actor KeyQueue {
    private var keys: [DeviceKey]

    init(_ keys: [DeviceKey]) { self.keys = keys }

    func next() throws(PushError) -> DeviceKey {
        guard let first = keys.first else {
            throw PushError(.notFound, "The test has no more keys.")
        }
        return keys.count > 1 ? keys.removeFirst() : first
    }
}

/// The error that something throws; the test fails if it throws none.
func refused(
    _ body: () async throws -> Void, sourceLocation: SourceLocation = #_sourceLocation
) async throws -> PushError {
    do {
        try await body()
    } catch let error as PushError {
        return error
    }
    Issue.record("Nothing was refused.", sourceLocation: sourceLocation)
    throw NothingThrown()
}

/// A test expected an error, and there was none.
struct NothingThrown: Error {}
