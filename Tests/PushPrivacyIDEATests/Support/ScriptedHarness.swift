import Foundation
import HTTPTypes
import PushCore
import PushJOSE
import PushTesting
import Testing

@testable import PushPrivacyIDEA

/// An app whose vendor says what the test wants.
typealias ScriptedHarness = PrivacyIDEAHarness<ScriptedServer>

extension PrivacyIDEAHarness where Server == ScriptedServer {
    /// Creates an app whose tokens have the device key of the examples.
    init(
        _ change: @escaping (inout PrivacyIDEA.Configuration) -> Void = { _ in },
        keys: [String] = ["device", "otherDevice"], asksAfterPush: Bool = false,
        sharing other: Self? = nil
    ) async throws {
        var setup = Setup(change: change, keys: keys, asksAfterPush: asksAfterPush)
        if let other { setup.store = other.store }
        let server = ScriptedServer(PrivacyIDEAScript(clock: setup.clock))
        try self.init(at: server, server, setup) { await server.respond(to: $0, body: $1) }
        for (host, key) in [
            ("pi.example.com", "server"), ("other.example.com", "otherServer"),
            ("pi.example.com:8443", "otherServer"),
        ] {
            await server.setKey(try vectors.text("keys", key, "pkcs1"), of: host)
        }
    }

    /// An app with one token.
    static func enrolled(
        _ code: EnrollmentCode = EnrollmentCode(), asksAfterPush: Bool = false,
        _ change: @escaping (inout PrivacyIDEA.Configuration) -> Void = { _ in }
    ) async throws -> Self {
        let harness = try await Self(change, asksAfterPush: asksAfterPush)
        try await harness.enroll(code)
        return harness
    }

    @discardableResult
    func enroll(_ code: EnrollmentCode = EnrollmentCode()) async throws -> Enrollment {
        try await enroll(code.text)
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
            throw PushError(.invalidArgument, "It is \(reception.kind), not a notice.")
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
            guard PrivacyIDEAScript.kind(of: exchange.request, exchange.body) == kind else {
                return nil
            }
            guard kind == .poll else { return String(decoding: exchange.body, as: UTF8.self) }
            return exchange.request.path.flatMap { path in
                path.firstIndex(of: "?").map { String(path[path.index(after: $0)...]) }
            }
        }
    }

    /// The fields of what was sent of a kind last.
    func lastForm(_ kind: ScriptedServer.Kind) async throws -> FormText {
        let text = try #require(await sent(kind).last)
        return try #require(FormText(text))
    }
}
