import Foundation
import PushCore
import PushTesting
import PushXignIn
import Testing

/// What is over stays over, and what was incompatible needn't stay so:
/// `docs/vendors/xignin-oxrw.md#at-the-device`.
@Suite struct FinishedProcessTests: ProcessSuite {
    let process: AnnouncedProcess

    init() async throws { process = try await AnnouncedProcess(delivered: false) }

    // MARK: Completed, cancelled, expired

    @Test(arguments: [true, false])
    func `what was answered isn't shown, and a cancel changes nothing`(approves: Bool)
        async throws
    {
        _ = try await phone.receive(push)
        if approves {
            #expect(try await phone.approve(pid) == .delivered)
        } else {
            #expect(try await phone.authenticator.deny(phone.id(pid)) == .delivered)
        }
        let state = try await phone.state(pid)
        try await expectNotShown(push)
        let other = try await variant { $0["title"] = "Once more" }
        try await expectNotShown(other)
        _ = try await phone.receive(cancel())
        #expect(try await phone.state(pid) == state)
        let again = try phone.restarted()
        #expect(try await again.receive(push).allSatisfy { !$0.isNew })
        #expect(try await again.state(pid) == state)
        #expect(await manager.decisions(pid).count == 1)
    }

    @Test func `what is over stays over: an incompatible message is no exception`() async throws {
        _ = try await phone.receive(push)
        _ = try await phone.receive(cancel())
        let later = try await variant { $0["min_api"] = "2.0.0" }
        try await expectNotShown(later)
        let unknown = try await variant { $0["msg"] = "transaction_v2" }
        try await expectNotShown(unknown)
    }

    @Test func `an expired process isn't shown, even where the server's time was forgotten`()
        async throws
    {
        phone.pass(300)
        try await phone.learnTime()
        #expect(await phone.refusal(of: push)?.isLate == true)
        let again = try phone.restarted()
        guard case .cancel(let message) = try await again.handle(push) else {
            Issue.record("It was recorded as expired: step 7, then step 8.")
            return
        }
        #expect(message.isIgnorable)
    }

    // MARK: Incompatible challenges

    @Test func `an updated app receives what was incompatible`() async throws {
        let later = try await variant { $0["min_api"] = "1.2.0" }
        _ = try await phone.receive(later)
        var configuration = Phone.quick
        let (first, last) = (SmartDeviceAPI(1, 0, 0), SmartDeviceAPI(1, 2, 0))
        configuration.supportedAPI = first...last
        let updated = try Phone(
            [manager], store: phone.store, clock: phone.clock, configuration: configuration)
        let reception = try #require(await updated.receive(later).first)
        #expect(reception.isNew)
        guard case .notice = reception.kind else {
            Issue.record("It is announced now.")
            return
        }
        #expect(try await updated.state(pid) == .open)
    }

    @Test func `a usable message about what was incompatible is received`() async throws {
        _ = try await phone.receive(variant { $0["min_api"] = "2.0.0" })
        let reception = try #require(await phone.receive(push).first)
        guard case .notice = reception.kind else {
            Issue.record("It is announced.")
            return
        }
        #expect(reception.isNew)
        #expect(try await phone.approve(pid) == .delivered)
    }

    @Test func `a cancel ends what was incompatible`() async throws {
        _ = try await phone.receive(variant { $0["min_api"] = "2.0.0" })
        _ = try await phone.receive(cancel())
        try await expectNotShown(push)
    }
}
