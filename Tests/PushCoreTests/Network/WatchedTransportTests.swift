import Foundation
import HTTPTypes
import PushTesting
import Testing

@testable import PushCore

@Suite struct `Watched transport` {
    private let observer = RecordingObserver()

    /// Sends one request through an environment whose network fails.
    private func fail(with code: PushError.Code) async throws -> PushError? {
        let environment = PushEnvironment(
            transport: FailingTransport(code: code), store: InMemoryStore(),
            verifier: ScriptedVerifier { _ in [] }, device: Device(name: "test"),
            observer: observer)
        let request = try Endpoint("https://acme.example/secret").request(.get)
        do throws(PushError) {
            _ = try await environment.transport.send(request, body: Data())
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: [PushError.Code.pinMismatch, .untrustedServer])
    func `a server that can't be trusted is a security event`(code: PushError.Code) async throws {
        let error = try await fail(with: code)
        #expect(error?.code == code && error?.reason == "acme.example failed.")
        _ = try await fail(with: code)
        #expect(observer.observations.map(\.kind) == [.security(code), .security(code)])
        #expect(observer.observations.allSatisfy { $0.count == 1 && $0.provider == nil })
        #expect(observer.observations.allSatisfy { !$0.summary.contains("acme") })
    }

    @Test(arguments: [
        PushError.Code.unreachable, .interrupted, .insecureRequest, .cancelled, .oversizedReply,
    ])
    func `any other failure is none`(code: PushError.Code) async throws {
        #expect(try await fail(with: code)?.code == code)
        #expect(observer.observations.isEmpty)
    }

    @Test(arguments: [200, 409, 503], [true, false])
    func `where a server signs its times, no field tells one, and it may ask to be left alone`(
        status: Int, isSigned: Bool
    ) async throws {
        let clock = ManualClock(Date(timeIntervalSince1970: 0))
        let simulated = SimulatedTransport { _, _ in
            var response = HTTPResponse(status: .init(code: status))
            response.headerFields[.date] = "Sun, 06 Nov 1994 08:49:37 GMT"
            response.headerFields[.retryAfter] = "30"
            return (response, Data())
        }
        let environment = PushEnvironment(
            transport: simulated, store: InMemoryStore(),
            verifier: ScriptedVerifier { _ in [] }, clock: clock, device: Device(name: "test"),
            observer: observer)
        let harness = isSigned ? environment.withSignedTimeOnly : environment
        let request = try Endpoint("https://acme.example/x").request(.get)
        _ = try await harness.transport.send(request, body: Data())
        let server = Endpoint.ServerID(host: "acme.example", of: nil)
        let seen = await clock.serverTime.now(at: server, elapsed: clock.elapsed)
        #expect((seen == nil) == isSigned)
        // The pauses are one harness's, whichever provider was told.
        let rest = await environment.pauses.rest(at: server, elapsed: clock.elapsed)
        #expect(rest == (status == 503 ? .seconds(30) : nil))
    }

    @Test func `of servers that are asked in turn each is known by its own replies`() async throws {
        let clock = ManualClock(Date(timeIntervalSince1970: 0))
        let seconds = ["acme.example": 30, "acme.example:8443": 40, "ajax.example": 50]
        let simulated = SimulatedTransport { request, _ in
            var response = HTTPResponse(status: .init(code: 503))
            response.headerFields[.retryAfter] = seconds[request.authority ?? ""].map { "\($0)" }
            return (response, Data())
        }
        let environment = PushEnvironment(
            transport: simulated, store: InMemoryStore(),
            verifier: ScriptedVerifier { _ in [] }, clock: clock, device: Device(name: "test"))
        let authorities = ["acme.example", "acme.example", "acme.example:8443", "ajax.example"]
        for authority in authorities + ["acme.example"] {
            let request = try Endpoint("https://\(authority)/x").request(.get)
            _ = try await environment.transport.send(request, body: Data())
        }
        let servers = [("acme.example", 443), ("acme.example", 8443), ("ajax.example", 443)]
        var rests: [Duration?] = []
        for (host, port) in servers {
            rests.append(
                await environment.pauses.rest(
                    at: Endpoint.ServerID(host: host, port: port, of: nil), elapsed: clock.elapsed))
        }
        #expect(rests == [.seconds(30), .seconds(40), .seconds(50)])
    }
}

/// A network on which every exchange fails in the same way.
private struct FailingTransport: Transport {
    let code: PushError.Code

    func send(
        _ request: HTTPRequest, body: Data
    ) async throws(PushError) -> (response: HTTPResponse, body: Data) {
        throw PushError(code, "acme.example failed.")
    }
}
