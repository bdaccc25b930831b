import Foundation
import PushCore
import PushForgeRockSimulator
import PushTesting
import Testing

@testable import IOSApp

/// What the guides in `docs/Guides.docc` quote, and what they say that it prints.
@Suite struct `the guides` {
    private let catalog = URL(fileURLWithPath: #filePath)
        .appendingPathComponent("../../../../../docs/Guides.docc").standardizedFileURL

    private func text(of file: String) throws -> String {
        try String(contentsOf: catalog.appendingPathComponent(file), encoding: .utf8)
    }

    @Test func `the tutorial's program prints what its last step shows`() async throws {
        let result = try await Program("first-login").run([])
        #expect(result.exitCode == 0, "\(result.errors)")
        #expect(result.output == (try text(of: "Resources/first-login-output.txt")))
    }

    @Test func `the program of two vendors prints what its guide shows`() async throws {
        let lines = try text(of: "Several-vendors-in-one-app.md").components(separatedBy: "\n")
        let start = try #require(lines.firstIndex(of: "<!-- output of: several-vendors -->"))
        try #require(lines[start + 1] == "```text")
        let shown = lines[(start + 2)...].prefix { $0 != "```" }.map { $0 + "\n" }.joined()
        let result = try await Program("several-vendors").run([])
        #expect(result.exitCode == 0, "\(result.errors)")
        #expect(result.output == shown)
    }

    // MARK: The approval screen

    private func challenge(
        _ kind: SimulatedLogin.Kind
    ) async throws -> (Challenge, PushAuthenticator) {
        let am = ForgeRockSimulator()
        let phone = try appAuthenticator(
            for: .app,
            in: PushEnvironment(
                transport: SimulatedTransport(to: am), store: InMemoryStore(),
                verifier: ScriptedVerifier.willing(), device: Device(name: "My phone")))
        try await phone.deviceTokenChanged(.fcm("token"))
        let offers = try phone.offers(for: try await am.invitation(for: "jane"))
        _ = try await phone.enroll(try #require(offers.first))
        _ = try await am.startLogin(of: "jane", asking: kind)
        let push = try #require(await am.takePushes().first)
        let reception = try #require(try await phone.receive(try push.message()).first)
        return (try await phone.challenge(try #require(reception.challenge)), phone)
    }

    @Test func `the screen has the control that the challenge asks for`() async throws {
        let (plain, _) = try await challenge(.confirm)
        #expect(ApprovalControl(plain.prompt) == .approve)
        let (number, _) = try await challenge(.number)
        guard case .choose(let options) = number.prompt else {
            Issue.record("\(number.prompt)")
            return
        }
        #expect(ApprovalControl(number.prompt) == .choose(options))
    }

    @Test func `what can only be denied has no control, and an entry is whole or none`() {
        #expect(ApprovalControl(.denyOnly("newer")) == .none)
        let entry = ApprovalControl(.enter(digits: 2))
        #expect(entry.answer(entering: "42") == .enter("42"))
        for text in ["", "4", "421", "4a", "٤٢"] { #expect(entry.answer(entering: text) == nil) }
        #expect(ApprovalControl(.approve).answer(entering: "42") == nil)
    }

    @Test func `an outcome that isn't known is told as such, and a wrong number asks again`() {
        #expect(words(for: .unknown("no reply")) == "Not confirmed yet. The app keeps trying.")
        #expect(Outcome.verifyAgain.asksAgain && !Outcome.delivered.asksAgain)
    }
}
