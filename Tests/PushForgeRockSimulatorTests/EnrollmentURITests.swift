import Foundation
import HTTPTypes
import PushCore
import PushForgeRockSimulator
import PushTesting
import Testing

struct EnrollmentURITests {
    typealias Generation = ForgeRockSimulator.Generation

    @Test(arguments: Generation.allCases)
    func `user and profile identifiers came with generation C`(generation: Generation) async throws
    {
        let phone = try Phone(scanning: await Bench(generation).am.enrollmentURI(for: "jane"))
        let isNew = generation >= .c
        #expect(phone.parameters.keys.contains("uid") == isNew)
        #expect(phone.parameters.keys.contains("pid") == isNew)
    }

    @Test func `up to AM 7.2 the label says forgerock and the parameter names the issuer`()
        async throws
    {
        for (generation, isAM72, label) in [
            (Generation.a, false, "forgerock"), (.b, true, "forgerock"),
            (.b, false, "Example%20Bank"),
        ] {
            let am = Bench(generation) { $0.isAM72 = isAM72 }.am
            let uri = try await am.enrollmentURI(for: "jane")
            #expect(uri.hasPrefix("pushauth://push/\(label):jane?"))
            #expect(try Phone(scanning: uri).text("issuer") == "Example Bank")
        }
    }

    @Test func `a label keeps what a URI fragment may hold and escapes the rest`() async throws {
        var options = ForgeRockSimulator.EnrollmentOptions()
        options.account = "a:b@c/d?e+f g%ü"
        let uri = try await Bench().am.enrollmentURI(for: "jane", options: options)
        #expect(uri.hasPrefix("pushauth://push/Example%20Bank:a:b@c/d?e+f%20g%25%C3%BC?l="))
    }

    @Test(arguments: [
        ("/", "/am", "/am/json/push/sns/message"),
        ("/alpha", "/am", "/am/json/alpha/push/sns/message"),
        ("/alpha/beta", "", "/json/alpha/beta/push/sns/message"),
    ])
    func `URLs follow realm, context and origin`(
        realm: String, context: String, path: String
    ) async throws {
        let am = Bench {
            $0.realm = realm
            $0.contextPath = context
        }.am
        try await am.move(to: "http://127.0.0.1:8080")
        let phone = try Phone(scanning: await am.enrollmentURI(for: "jane"))
        #expect(try phone.text("r") == "http://127.0.0.1:8080\(path)?_action=register")
        #expect(try phone.text("a") == "http://127.0.0.1:8080\(path)?_action=authenticate")
        let body = try phone.registrationBody().data
        let request = try Endpoint(phone.text("r")).request(.post)
        #expect(await am.respond(to: request, body: body).response.status.code == 200)
    }

    @Test(arguments: ["am.example.com", "https://am.example.com/am", "ftp://am.example.com", ""])
    func `an origin is scheme, host and port`(origin: String) async {
        await #expect(throws: PushError.self) { try await Bench().am.move(to: origin) }
    }

    @Test func `combined invitations came with AM 7.3`() async throws {
        let options = ForgeRockSimulator.EnrollmentOptions(.pushAndTOTP)
        for am in [Bench(.a).am, Bench(.b) { $0.isAM72 = true }.am] {
            await #expect(throws: PushError.self) {
                try await am.enrollmentURI(for: "jane", options: options)
            }
        }
        let uri = try await Bench(.b).am.enrollmentURI(for: "jane", options: options)
        #expect(uri.hasPrefix("mfauth://totp/"))
        #expect(!(try Phone(scanning: uri).parameters.keys.contains("oid")))
    }

    @Test func `a counter-based combined invitation has a counter and its image raw`() async throws
    {
        var options = ForgeRockSimulator.EnrollmentOptions(.pushAndHOTP)
        options.image = "https://example.com/a.png"
        options.color = "#FFFFFF"
        let uri = try await Bench().am.enrollmentURI(for: "jane", options: options)
        let phone = try Phone(scanning: uri)
        #expect(uri.hasPrefix("mfauth://hotp/"))
        #expect(phone.parameters["counter"] == "0")
        #expect(phone.parameters["period"] == nil)
        #expect(phone.parameters["image"] == "https://example.com/a.png")
        #expect(phone.parameters["b"] == "FFFFFF")
    }

    @Test func `policies need a combined invitation`() async {
        var options = ForgeRockSimulator.EnrollmentOptions()
        options.policies = "{}"
        await #expect(throws: PushError.self) {
            try await Bench().am.enrollmentURI(for: "jane", options: options)
        }
    }

    @Test func `equal seeds give equal invitations, other seeds others`() async throws {
        let one = try await Bench(seed: 7).am.enrollmentURI(for: "jane")
        #expect(try await Bench(seed: 7).am.enrollmentURI(for: "jane") == one)
        #expect(try await Bench(seed: 8).am.enrollmentURI(for: "jane") != one)
    }

    @Test func `an invitation is the QR code's text`() async throws {
        guard case .scanned(let text) = try await Bench(seed: 7).am.invitation(for: "jane") else {
            Issue.record("An invitation is scanned.")
            return
        }
        let uri = try await Bench(seed: 7).am.enrollmentURI(for: "jane")
        #expect(text.copiedText() == uri)
    }
}
