import Foundation
import HTTPTypes
import PushCore
import PushTesting
import Testing

@testable import FictionalVendor

/// Where an answer may go: nowhere but to the server that was learned at enrollment.
struct OriginFaultTests {
    @Test(arguments: [
        "https://evil.example/answer", "https://acme.example.evil.example/answer",
        "https://evilacme.example/answer", "https://sub.acme.example/answer",
        "https://acme.example:8443/answer", "http://acme.example/answer",
        "http://acme.example:443/answer", "https://evil.example/https://acme.example",
        "https://evil.example?x=acme.example", "https://acme.example./answer",
        "https://xn--acm-dma.example/answer",
    ])
    func `an answer URL of another origin isn't the enrolled one, however alike it looks`(
        text: String
    ) throws {
        let enrolled = try Endpoint("https://acme.example/push")
        #expect(try Endpoint(text).origin != enrolled.origin)
    }

    @Test(arguments: [
        "https://acme.example@evil.example/answer", "https://acme.example\\@evil.example/",
        "https://acme.example#@evil.example/", "//evil.example/answer", "javascript:answer",
        "https://acme.example\u{0}.evil.example/", "https://acm\u{E9}.example/answer",
        "https://acme.example\r\nHost: evil.example/",
    ])
    func `an answer URL that readers could take for two origins is none`(text: String) {
        #expect(code { try Endpoint(text) } == .malformed)
    }

    @Test(arguments: [
        PushError.Code.insecureRequest, .untrustedServer, .pinMismatch,
    ])
    func `an answer that no server can be trusted with stays decided, and isn't tried by itself`(
        refusal: PushError.Code
    ) async throws {
        let harness = AuthenticatorHarness()
        let clock = ManualClock(morning)
        let transport = RefusingTransport(harness.transport)
        let environment = PushEnvironment(
            transport: transport, store: harness.store, verifier: harness.verifier, clock: clock,
            random: SeededRandom(seed: 3), device: Device(name: "test"), observer: harness.observer)
        let authenticator = PushAuthenticator(
            try PluginRegistry([Acme(in: environment)]), in: environment,
            configuration: AuthenticatorHarness.quiet)
        _ = try await authenticator.join("ada")
        _ = try await authenticator.receive(try AcmeWire.ask("1"))
        await transport.refuse(refusal)
        #expect(await code { try await authenticator.deny(.ada("1")) } == refusal)
        #expect(
            try await authenticator.record(of: .ada("1"))?.state == .decided(.deny(.unexpected)))
        try await eventually("Nothing is tried.") { await authenticator.background == (0, 0) }
        #expect(clock.sleepers == 0)
        let isSecurity = refusal != .insecureRequest
        #expect(
            harness.observer.observations.contains { $0.kind == .security(refusal) } == isSecurity)
        #expect(await harness.server.answers.isEmpty)
        await transport.refuse(nil)
        #expect(try await authenticator.resume() == [.ada("1"): .delivered])
        // Nothing had been sent, so this is no repeat.
        #expect(await harness.server.answers.map { $0["again"]?.bool } == [false])
    }
}

/// A transport that refuses to send, as where a certificate isn't the pinned one.
private actor RefusingTransport: Transport {
    private let behind: any Transport
    private var refusal: PushError.Code?

    init(_ behind: any Transport) { self.behind = behind }

    func refuse(_ refusal: PushError.Code?) { self.refusal = refusal }

    func send(
        _ request: HTTPRequest, body: Data
    ) async throws(PushError) -> (response: HTTPResponse, body: Data) {
        if let refusal { throw PushError(refusal, "Nothing was sent.") }
        return try await behind.send(request, body: body)
    }
}
