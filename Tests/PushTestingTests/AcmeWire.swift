import Foundation
import HTTPTypes
import IndependentEncodings
import PushCore
import PushTesting

/// The wire of the fictional vendor Acme, with a toy MAC that protects nothing but tests.
enum AcmeWire {
    static let ada = Enrollment.ID("ada", of: "acme")
    static let now = Date(timeIntervalSince1970: 1_760_000_000)
    private static let key = "ada's key"

    /// 64 hexadecimal digits.
    static func mac(_ text: String, key: String) -> String {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        return (0..<4).map { round in
            for byte in "\(key)|\(round)|\(text)|\(key)".utf8 {
                hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3
            }
            return withUnsafeBytes(of: hash.bigEndian) { hex($0) }
        }.joined()
    }

    static func push(
        _ claims: JSON, key: String = key, to account: String = "ada",
        title: String = "Log in?"
    ) throws(PushError) -> PushMessage {
        let text = claims.text
        let content: JSON = [
            "acme": .string(text), "to": .string(account), "mac": .string(mac(text, key: key)),
            "mid": .string("m" + (claims["id"]?.string ?? "")), "title": .string(title),
            "aps": ["alert": ["body": "Log in?"], "badge": 1],
        ]
        return try PushMessage(json: content.data)
    }

    static func ask(
        _ id: String, prompt: String = "approve", proof: String? = nil, expiry: Int64? = nil
    ) -> JSON {
        [
            "kind": "ask", "id": .string(id), "prompt": .string(prompt), "title": "Log in?",
            "proof": proof.map { .string($0) } ?? .null,
            "expiry": expiry.map { .integer($0) } ?? .null,
        ]
    }

    static func cancel(_ id: String) -> JSON { ["kind": "cancel", "id": .string(id)] }

    static func fixtures() throws(PushError) -> ProviderFixtures {
        var fixtures = ProviderFixtures(genuine: [
            try push(ask("1")), try push(ask("2", prompt: "choose"), title: "Another?"),
            try push(cancel("3")),
            try push(["kind": "hologram", "id": "4"]),
            try PushMessage(json: Data(#"{"acme-hint":"challenges","n":[1,{"a":null}]}"#.utf8)),
        ])
        fixtures.forged = [try push(ask("5"), key: "another key")]
        fixtures.foreign = [
            try PushMessage(json: Data(#"{"aps":{"alert":"mine"}}"#.utf8)),
            PushMessage(text: "https://acme.example/", by: .scanned),
        ]
        fixtures.malformed = [
            try PushMessage(json: Data(#"{"acme":"{"}"#.utf8)), try push([:]), try push("text"),
        ]
        fixtures.unknownPrompts = [try push(ask("6", prompt: "hologram"))]
        let past = Int64(now.timeIntervalSince1970) - 60
        fixtures.expired = [try push(ask("7", expiry: past))]
        fixtures.withdrawals = [
            .init(announcement: try push(ask("8")), withdrawal: try push(cancel("8")))
        ]
        fixtures.signing = .init(
            claims: [
                ask("9"), ask("10", prompt: "choose"), cancel("11"), ask("12", proof: "biometry"),
            ],
            sign: { (claims) throws(PushError) in try push(claims) })
        return fixtures
    }

    /// A provider with its one enrollment, and an authenticator over both.
    static func world(
        _ flaw: Acme.Flaw? = nil, keptIn store: InMemoryStore = InMemoryStore()
    ) async throws(PushError) -> (provider: Acme, authenticator: PushAuthenticator) {
        let environment = PushEnvironment(
            transport: SimulatedTransport { _, _ in (.init(status: .ok), Data()) },
            store: store, verifier: ScriptedVerifier.willing(), clock: ManualClock(now),
            device: Device(name: "test"))
        let provider = Acme(flaw, in: environment)
        let enrollment = Enrollment(id: ada, state: .active, created: now)
        try await provider.accounts.create(enrollment, Secret(copying: key))
        let registry = try PluginRegistry([provider])
        return (provider, PushAuthenticator(registry, in: environment))
    }
}

extension [String] {
    /// Whether a finding says this; where it ends with an ellipsis, the finding goes on.
    func tell(_ sentence: String) -> Bool {
        guard sentence.hasSuffix("…") else { return contains(sentence) }
        return contains { $0.hasPrefix(sentence.dropLast()) }
    }
}
