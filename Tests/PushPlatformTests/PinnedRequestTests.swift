import Foundation
import HTTPTypes
import PushCore
import PushTransportRules
import Testing

@Suite struct `Pins of a request's server` {
    private func pins() throws -> [ServerPin] {
        try [1, 2].map { try ServerPin(digest: Data(repeating: $0, count: 32)) }
    }

    private func pinning(_ hosts: String...) throws -> ServerPins {
        try ServerPins(hosts.map { try ServerPins.Rule(host: $0, pins: pins()) })
    }

    private func destination(
        _ scheme: String, _ authority: String
    ) throws(PushError) -> RequestRules.Destination {
        try RequestRules.destination(
            of: HTTPRequest(method: .get, scheme: scheme, authority: authority, path: "/"),
            bodySize: 0, plainHTTP: .allowed)
    }

    @Test(arguments: ["acme.test", "ACME.test:8443", "acme.test.", "[::1]:1", "127.0.0.1:443"])
    func `are found by a request's authority`(authority: String) throws {
        let rules = try pinning("acme.test", "::1", "127.0.0.1")
        #expect(try rules.pins(for: destination("https", authority)) == Set(pins()))
        let error = try #require(throws: PushError.self) {
            try rules.pins(for: destination("http", authority))
        }
        #expect(error.code == .insecureRequest && error.reason.contains("Plain HTTP"))
    }

    @Test(arguments: ["2130706433", "127.1", "0x7f.1", "acme.test..", "~", "acme.test:0", "a:b"])
    func `let no host pass that another notation could hide`(authority: String) throws {
        let rules = try pinning("acme.test", "127.0.0.1")
        for scheme in ["https", "http"] {
            let error = try #require(throws: PushError.self) {
                try rules.pins(for: destination(scheme, authority))
            }
            #expect(error.code == .insecureRequest)
            #expect(try ServerPins().pins(for: destination(scheme, authority)) == [])
        }
    }

    @Test func `change nothing for other hosts`() throws {
        let rules = try pinning("acme.test")
        for scheme in ["https", "http"] {
            #expect(try rules.pins(for: destination(scheme, "other.test:1")) == [])
        }
    }
}
