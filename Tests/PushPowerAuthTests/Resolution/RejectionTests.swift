import PushCore
import PushPowerAuthSimulator
import PushTesting
import Testing

@testable import PushPowerAuth

@Suite struct RejectionTests {
    @Test(arguments: [
        (DenyReason.unexpected, "UNEXPECTED_OPERATION"), (.fraud, "UNEXPECTED_OPERATION"),
        (.ignore, "UNKNOWN"), (PowerAuthRejectionReason.incorrectData.denyReason, "INCORRECT_DATA"),
        (.custom("Because \"I\" say so"), "Because \"I\" say so"),
    ])
    func `an operation is rejected with a reason, unopened`(
        _ reason: DenyReason, _ text: String
    ) async throws {
        let (phone, id) = try await PowerAuthHarness.active()
        let name = try await phone.received(at: id)
        #expect(try await phone.authenticator.deny(name, reason) == .delivered)
        let record = try await phone.simulator.operation(name.name)
        #expect(record.status == .rejected)
        #expect(record.reason == text)
        #expect(await phone.calls(.detail) == 0)
        let header = try #require(await phone.lastSignature)
        #expect(header.contains(#"pa_signature_type="possession""#))
    }

    @Test func `a lost reply is followed by a question, not by a second signature`() async throws {
        let (phone, id) = try await PowerAuthHarness.active()
        let name = try await phone.received(at: id)
        await phone.fail(.cancel, .dropAfter)
        let first = try await phone.authenticator.deny(name)
        let isUnknown = if case .unknown = first { true } else { false }
        #expect(isUnknown)
        _ = try await phone.authenticator.resume()
        #expect(await phone.calls(.cancel) == 1)
        #expect(try await phone.bank.status(name) == .rejected)
    }

    @Test func `what never arrived is signed again and sent again`() async throws {
        let (phone, id) = try await PowerAuthHarness.active()
        let name = try await phone.received(at: id)
        await phone.fail(.cancel, .dropBefore)
        _ = try await phone.authenticator.deny(name)
        _ = try await phone.authenticator.resume()
        #expect(await phone.calls(.cancel) == 1)
        #expect(try await phone.bank.status(name) == .rejected)
    }

    @Test(arguments: [1, 3])
    func `counters that parted come together, and the no goes out once more`(
        _ steps: Int
    ) async throws {
        let (phone, id) = try await PowerAuthHarness.active()
        let name = try await phone.received(at: id)
        // The server is ahead, as after a restored backup.
        let number = try #require(try await phone.simulator.activation(id.name).counter)
        try await phone.simulator.setCounter(of: id.name, to: Int(number) + steps)
        #expect(try await phone.authenticator.deny(name) == .delivered)
        #expect(await phone.calls(.cancel) == 2)
        #expect(try await phone.bank.status(name) == .rejected)
    }
}
