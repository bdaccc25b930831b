import Foundation
import HTTPTypes
import PushCore
import PushTesting
import PushTransportRules
import Testing

@testable import PushURLSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct `A request for URLSession` {
    @Test func `over plain HTTP is refused by default, and nothing is connected`() async throws {
        let server = try LoopbackServer { $0.awaitHangUp() }
        let error = try await refusal {
            try await makeTransport().send(.get(server), body: Data())
        }
        #expect(error.code == .insecureRequest)
        #expect(server.connectionCount == 0)
    }

    @Test func `has less time in an app extension, which itself has little`() {
        typealias Configuration = URLSessionTransport.Configuration
        let bundle = "/private/var/containers/Bundle/Application/1/My.app"
        #expect(Configuration.usualTimeout(inBundle: bundle) == .seconds(30))
        let service = bundle + "/PlugIns/Service.appex"
        #expect(Configuration.usualTimeout(inBundle: service) == .seconds(8))
        #expect(Configuration().timeout == .seconds(30))
    }

    @Test(arguments: [
        PlainHTTP.refused, .loopbackOnly,
    ])
    func `over plain HTTP to another machine needs leave`(
        plainHTTP: PlainHTTP
    ) throws {
        let request = HTTPRequest(
            method: .get, scheme: "http", authority: "localhost.acme.test", path: "/")
        #expect(throws: PushError.self) {
            try RequestRules.destination(of: request, bodySize: 0, plainHTTP: plainHTTP)
        }
        let destination = try RequestRules.destination(
            of: request, bodySize: 0, plainHTTP: .allowed)
        #expect(destination.url == "http://localhost.acme.test/")
    }

    @Test(arguments: [(HTTPRequest.Method.connect, 0), (.head, 1)])
    func `that HTTP has no form for is refused`(
        method: HTTPRequest.Method, bodySize: Int
    ) async throws {
        let request = HTTPRequest(
            method: method, scheme: "https", authority: "acme.test", path: "/")
        let error = try await refusal {
            try await makeTransport().send(request, body: Data(count: bodySize))
        }
        #expect(error.code == .insecureRequest)
    }

    @Test(arguments: [
        (URLError.Code.serverCertificateUntrusted, PushError.Code.untrustedServer),
        (.serverCertificateHasUnknownRoot, .untrustedServer),
        (.serverCertificateHasBadDate, .untrustedServer),
        (.cannotFindHost, .unreachable), (.secureConnectionFailed, .unreachable),
        (.notConnectedToInternet, .unreachable), (.unsupportedURL, .insecureRequest),
        (.timedOut, .interrupted), (.networkConnectionLost, .interrupted),
        (.badServerResponse, .interrupted), (.unknown, .interrupted),
    ])
    func `that fails says whether it may have been processed`(
        code: URLError.Code, expected: PushError.Code
    ) {
        let error = SessionExchange.failure(code, authority: "acme.test")
        #expect(error.code == expected)
        #expect((error.underlying as? URLSessionFailure)?.code == code.rawValue)
    }

    @Test(arguments: [PushError.Code.pinMismatch, .untrustedServer])
    func `that met a server it doesn't trust says so, not that it was cancelled`(
        code: PushError.Code
    ) throws {
        let exchange = SessionExchange(
            authority: "acme.test", pins: [], limit: 1, hasBody: true)
        exchange.fault = code
        let error = #expect(throws: PushError.self) {
            try exchange.outcome(URLError(.cancelled)).get()
        }
        #expect(error?.code == code && error?.reason.contains("acme.test") == true)
    }

    #if !canImport(Security)
    @Test func `isn't even made where pins couldn't be checked`() throws {
        let pins = try [0, 1].map { try ServerPin(digest: Data(repeating: $0, count: 32)) }
        let rules = try ServerPins([.init(host: "acme.test", pins: pins)])
        #expect { try URLSessionTransport(.init(pins: rules)) } throws: {
            ($0 as? PushError)?.code == .unsupported
        }
    }
    #endif

    @Test(arguments: [
        (Duration.zero, 0.001), (.seconds(-1), 0.001), (.milliseconds(1500), 1.5),
    ])
    func `has a time-out in seconds`(duration: Duration, seconds: Double) {
        #expect(duration.timeInterval == seconds)
    }
}

/// A transport without pins, which alone can be made on every system.
func makeTransport(
    _ configuration: URLSessionTransport.Configuration = .init()
) throws(PushError) -> URLSessionTransport {
    #if canImport(Security)
    URLSessionTransport(configuration)
    #else
    try URLSessionTransport(configuration)
    #endif
}
