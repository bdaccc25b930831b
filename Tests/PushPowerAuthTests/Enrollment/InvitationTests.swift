import Foundation
import PushCore
import PushPowerAuthSimulator
import PushTesting
import Testing

@testable import PushPowerAuth

@Suite struct InvitationTests {
    let phone: PowerAuthHarness

    init() async throws { phone = try await PowerAuthHarness() }

    @Test func `a scanned code without a signature is refused`() async throws {
        let code = try await phone.simulator.createActivation(for: Bank.user).code
        for text in [code, code + "#", "R:" + code + "#AAAA"] {
            #expect(throws: (any Error).self) {
                try phone.authenticator.offers(for: .scanned(text: text))
            }
        }
    }

    @Test func `a code that another key signed is refused`() async throws {
        let forged = try await PowerAuthHarness().simulator
        await forged.configure { configuration in
            configuration.applications = [.init(id: "evil", random: SeededRandom(seed: 99))]
        }
        let text = try await forged.createActivation(for: Bank.user).text
        let error = #expect(throws: PushError.self) {
            try phone.authenticator.offers(for: .scanned(text: text))
        }
        #expect(error?.code == .invalidInvitation)
    }

    @Test func `a signature of another code is refused`() async throws {
        let one = try await phone.simulator.createActivation(for: Bank.user)
        let other = try await phone.simulator.createActivation(for: Bank.user)
        let mixed = one.code + other.text.dropFirst(23)
        let error = #expect(throws: PushError.self) {
            try phone.authenticator.offers(for: .scanned(text: mixed))
        }
        #expect(error?.code == .invalidInvitation)
    }

    @Test func `a typed code needs no signature, and forgives how it is typed`() async throws {
        let code = try await phone.simulator.createActivation(for: Bank.user).code
        let typed = code.lowercased().replacing("o", with: "0").replacing("i", with: "1")
        let enrollment = try await phone.enroll(.typed(text: typed))
        #expect(try await phone.simulator.activation(enrollment.id.name).code == code)
    }

    @Test func `a typed code with a signature must have the right one`() async throws {
        let record = try await phone.simulator.createActivation(for: Bank.user)
        #expect(try phone.authenticator.offers(for: .typed(text: record.text)).count == 1)
        #expect(throws: PushError.self) {
            try phone.authenticator.offers(for: .typed(text: record.code + "#MEUCIQ=="))
        }
    }

    @Test func `a mistyped code is refused, and what is no code is nobody's`() throws {
        let error = #expect(throws: PushError.self) {
            try phone.authenticator.offers(for: .typed(text: "W65WE-3T7VI-7FBS2-A4OYB"))
        }
        #expect(error?.code == .invalidInvitation)
        for other: Invitation in [
            .typed(text: "hello"), .scanned(text: "https://example.com/#x"), .scanned(text: ""),
            .credentials(user: Bank.user, password: Secret("x".utf8)),
        ] { #expect(try phone.authenticator.offers(for: other).isEmpty) }
    }

    @Test func `reading an invitation sends nothing`() async throws {
        _ = try phone.authenticator.offers(for: await phone.simulator.invitation(for: Bank.user))
        #expect(await phone.transport.exchanges.isEmpty)
    }
}
