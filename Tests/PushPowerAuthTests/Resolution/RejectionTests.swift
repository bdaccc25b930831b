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
        let (handset, id) = try await Handset.active()
        let name = try await handset.received(at: id)
        #expect(try await handset.authenticator.deny(name, reason) == .delivered)
        let record = try await handset.simulator.operation(name.name)
        #expect(record.status == .rejected)
        #expect(record.reason == text)
        #expect(await handset.calls(.detail) == 0)
        let header = try #require(await handset.lastSignature)
        #expect(header.contains(#"pa_signature_type="possession""#))
    }

    @Test func `a lost reply is followed by a question, not by a second signature`() async throws {
        let (handset, id) = try await Handset.active()
        let name = try await handset.received(at: id)
        await handset.fail(.cancel, .dropAfter)
        let first = try await handset.authenticator.deny(name)
        let isUnknown = if case .unknown = first { true } else { false }
        #expect(isUnknown)
        _ = try await handset.authenticator.resume()
        #expect(await handset.calls(.cancel) == 1)
        #expect(try await handset.serverStatus(name) == .rejected)
    }

    @Test func `what never arrived is signed again and sent again`() async throws {
        let (handset, id) = try await Handset.active()
        let name = try await handset.received(at: id)
        await handset.fail(.cancel, .dropBefore)
        _ = try await handset.authenticator.deny(name)
        _ = try await handset.authenticator.resume()
        #expect(await handset.calls(.cancel) == 1)
        #expect(try await handset.serverStatus(name) == .rejected)
    }

    @Test(arguments: [1, 3])
    func `counters that parted come together, and the no goes out once more`(
        _ steps: Int
    ) async throws {
        let (handset, id) = try await Handset.active()
        let name = try await handset.received(at: id)
        // The server is ahead, as after a restored backup.
        let number = try #require(try await handset.simulator.activation(id.name).counter)
        try await handset.simulator.setCounter(of: id.name, to: Int(number) + steps)
        #expect(try await handset.authenticator.deny(name) == .delivered)
        #expect(await handset.calls(.cancel) == 2)
        #expect(try await handset.serverStatus(name) == .rejected)
    }
}
