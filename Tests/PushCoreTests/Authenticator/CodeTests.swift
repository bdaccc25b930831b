import Foundation
import PushCore
import PushTesting
import Testing

@testable import FictionalVendor

struct CodeTests {
    @Test func `a vendor without codes says so`() async throws {
        let harness = AuthenticatorHarness()
        let authenticator = try harness.authenticator()
        let enrollment = try await authenticator.join("ada")
        let error = await #expect(throws: PushError.self) {
            _ = try await authenticator.code(for: enrollment.id)
        }
        #expect(error?.code == .unsupported)
        #expect(error?.provider == "acme")
    }

    @Test func `a code is made after the user was verified as the vendor asks`() async throws {
        let harness = AuthenticatorHarness(verifier: .willing(pin: "2468"))
        let authenticator = try authenticator(in: harness, asking: [[.pin]])
        _ = try await authenticator.join("ada")
        let code = try await authenticator.code(for: .ada)
        #expect(code.text.copiedText() == "code by pin 2468")
        #expect(code.expiry == morning)
        guard case .manage(.ada, _)? = await harness.verifier.requests.first?.purpose else {
            Issue.record("The user wasn't asked.")
            return
        }
    }

    @Test func `nobody is asked where the vendor asks for nobody`() async throws {
        let harness = AuthenticatorHarness(verifier: .absent())
        let authenticator = try authenticator(in: harness, asking: [])
        _ = try await authenticator.join("ada")
        let code = try await authenticator.code(for: .ada)
        #expect(code.text.copiedText() == "code")
    }

    @Test func `without the user there is no code`() async throws {
        let harness = AuthenticatorHarness(verifier: .absent())
        let authenticator = try authenticator(in: harness, asking: [[.pin]])
        _ = try await authenticator.join("ada")
        #expect(await code { try await authenticator.code(for: .ada) } == .cancelled)
    }

    @Test func `a code reads the same, whoever else is enrolled`() async throws {
        let counting = CountingStore()
        let harness = AuthenticatorHarness(store: counting)
        let enrolled = try await harness.enrolled()
        func cost() async throws -> [Int] {
            let authenticator = try authenticator(in: harness, asking: [])
            let before = (await counting.reads, await counting.listings)
            _ = try await authenticator.code(for: .ada)
            return [await counting.reads - before.0, await counting.listings - before.1]
        }
        let alone = try await cost()
        for number in 0..<100 {
            _ = try await enrolled.join("user-\(number)")
            _ = try await enrolled.receive(try AcmeWire.cancel("\(number)"))
        }
        #expect(try await cost() == alone)
        #expect(alone[1] == 0)
    }

    private func authenticator(
        in harness: AuthenticatorHarness, asking factors: [[Factor]]
    ) throws -> PushAuthenticator {
        try PushAuthenticator(
            PluginRegistry([Coder(inner: harness.acme(), factors: factors)]),
            in: harness.environment)
    }
}

/// Acme with codes.
private struct Coder: PushProvider, CodeGenerator {
    let inner: Acme
    let factors: [[Factor]]

    var id: ProviderID { inner.id }
    var capabilities: Capabilities { inner.capabilities }
    var pushServices: [DeviceToken.Service] { inner.pushServices }
    var enroller: any Enroller { inner.enroller }
    var resolver: any Resolver { inner.resolver }
    var codes: (any CodeGenerator)? { self }

    func candidate(in message: PushMessage) -> PushMessage.Candidate? {
        inner.candidate(in: message)
    }

    func verification(of account: Account) async throws(PushError) -> [[Factor]] {
        factors
    }

    func code(
        of account: Account, evidence: [Evidence]
    ) async throws(PushError) -> OneTimeCode {
        var text = "code"
        for case .pin(let pin) in evidence {
            text += " by pin " + pin.copiedText()
        }
        return OneTimeCode(Secret(text.utf8), expiry: morning)
    }
}
