import PushCore
import PushPlusAuth
import PushTesting
import Testing

/// The code that the login page shows, as the user is asked for consent.
@Suite struct OfferTests {
    private func offers(
        _ code: EnrollmentCode, _ configuration: PlusAuth.Configuration = .ec()
    ) throws -> [Invitation.Offer] {
        try PlusAuthHarness(configuration).authenticator.offers(for: .scanned(text: code.text))
    }

    @Test func `an offer names issuer, account and host, and asks for nothing`() throws {
        let offer = try #require(offers(EnrollmentCode()).first)
        #expect(offer.provider == "plusauth")
        #expect(offer.issuer == "Acme Bank")
        #expect(offer.account == "ada@example.com")
        #expect(offer.host == "tenant.plusauth.example")
        #expect(offer.asks.isEmpty)
    }

    @Test func `offering sends nothing and keeps nothing`() async throws {
        let harness = try PlusAuthHarness()
        _ = try harness.authenticator.offers(for: .scanned(text: EnrollmentCode().text))
        #expect(await harness.transport.exchanges.isEmpty)
        #expect(await harness.store.count == 0)
    }

    @Test func `another type's code is nobody's offer`() throws {
        var code = EnrollmentCode()
        code.kind = "totp"
        #expect(try offers(code).isEmpty)
    }

    @Test func `only a scanned code is one`() throws {
        let authenticator = try PlusAuthHarness().authenticator
        let text = EnrollmentCode().text
        #expect(try authenticator.offers(for: .typed(text: text)).isEmpty)
        let password = Secret(Array(text.utf8))
        let credentials = Invitation.credentials(user: text, password: password)
        #expect(try authenticator.offers(for: credentials).isEmpty)
    }

    @Test func `where the app names its hosts, no other is offered`() async throws {
        let configuration = PlusAuth.Configuration.ec {
            $0.allowedHosts = ["tenant.plusauth.example"]
        }
        #expect(try offers(EnrollmentCode(), configuration).count == 1)
        let shouted = EnrollmentCode.at("https://TENANT.plusauth.example/enroll")
        #expect(try offers(shouted, configuration).count == 1)
        for host in [
            "evil.example", "tenant.plusauth.example.evil.example",
            "x.tenant.plusauth.example", "plusauth.example",
        ] {
            let error = try await refusal {
                _ = try offers(.at("https://\(host)/enroll"), configuration)
            }
            #expect(error.code == .invalidInvitation)
        }
    }

    @Test func `a code that can't be used is refused by name, without what it holds`() async throws
    {
        let error = try await refusal { _ = try offers(EnrollmentCode().with("digits", "9")) }
        #expect(error.code == .invalidInvitation)
        #expect(error.provider == "plusauth")
        #expect(!"\(error)".contains(WorkedExample.secret))
        #expect(!"\(error)".contains("enr+"))
    }
}
