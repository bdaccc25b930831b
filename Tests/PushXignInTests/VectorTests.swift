import Foundation
import PushCore
import PushTesting
import PushXignIn
import Testing

/// The worked example's pushes, each with its outcome, in the order of
/// `docs/vendors/xignin-oxrw.md#how-a-device-reads-it`.
@Suite struct VectorTests {
    private let vectors: Vectors

    init() throws { vectors = try Vectors() }

    private func data(_ name: String) throws -> [String: String] {
        Push.data(try vectors.push(name))
    }

    /// What a fresh phone makes of one vector, with the server's time known.
    private func result(_ name: String) async throws -> XignPushMessageResult? {
        try await XignInHarness(vectors: true).phone.handle(data(name))
    }

    @Test func `authentication is announced with its texts`() async throws {
        guard case .authentication(let message) = try await result("authentication") else {
            Issue.record("It is an authentication.")
            return
        }
        #expect(message.processId == WorkedExample.process)
        #expect(message.idmIdentifier == WorkedExample.idm)
        #expect(message.title == "Sign-in request")
        #expect(message.message == "Tap to continue")
        #expect(message.priority == .high)
        #expect(!message.isIgnorable)
    }

    @Test func `authentication_minimal has neither texts nor a priority`() async throws {
        guard case .authentication(let message) = try await result("authentication_minimal") else {
            Issue.record("It is an authentication.")
            return
        }
        #expect(message.processId == WorkedExample.process)
        #expect(message.title == nil)
        #expect(message.message == nil)
        #expect(message.priority == .unspecified)
        #expect(message.isIgnorable)
    }

    @Test func `cancel is a cancel, done elsewhere`() async throws {
        guard case .cancel(let message) = try await result("cancel") else {
            Issue.record("It is a cancel.")
            return
        }
        #expect(message.processId == WorkedExample.process)
        #expect(message.idmIdentifier == WorkedExample.idm)
        #expect(message.isIgnorable)
        let harness = try await XignInHarness(vectors: true)
        let reception = try #require(await harness.phone.receive(data("cancel")).first)
        #expect(
            reception.kind
                == .over(
                    Withdrawal(
                        harness.phone.id(WorkedExample.process), .elsewhere, isIgnorable: true,
                        expiry: Date(WorkedExample.expiry + 600))))
    }

    @Test func `a cancel of yesterday is still honoured`() async throws {
        guard case .cancel(let message) = try await result("cancel_late") else {
            Issue.record("It is a cancel.")
            return
        }
        #expect(message.processId == "prc-old")
        #expect(message.isIgnorable)
        let harness = try await XignInHarness(vectors: true)
        _ = try await harness.phone.receive(data("cancel_late"))
        // It leaves a tombstone: the announcement that comes later isn't shown.
        let late = await harness.manager.push("prc-old", to: WorkedExample.activation)
        guard case .cancel = try await harness.phone.handle(late.data(harness.manager.key)) else {
            Issue.record("A late announcement is a cancel.")
            return
        }
    }

    @Test func `what was signed an hour ahead is announced, and ends nothing`() async throws {
        let harness = try await XignInHarness(vectors: true)
        try await harness.phone.learnTime()
        guard case .authentication(let message) = try await harness.phone.handle(data("future_iat"))
        else {
            Issue.record("It is an authentication.")
            return
        }
        #expect(message.processId == "prc-future")
        // It was signed at 1767229200, and what ends at 1767225780 isn't over for that.
        guard case .authentication = try await harness.phone.handle(data("authentication")) else {
            Issue.record("It is an authentication, too.")
            return
        }
    }

    @Test func `a version that is too new is incompatible`() async throws {
        guard case .incompatible(let message) = try await result("incompatible_min_api") else {
            Issue.record("It is incompatible.")
            return
        }
        #expect(message.processId == WorkedExample.process)
        #expect(message.idmIdentifier == WorkedExample.idm)
        #expect(message.messageType == .authentication)
        #expect(message.minSmartDeviceApi == "2.0.0")
        #expect(!message.isIgnorable)
    }

    @Test func `an unknown kind is incompatible`() async throws {
        guard case .incompatible(let message) = try await result("incompatible_unknown_msg") else {
            Issue.record("It is incompatible.")
            return
        }
        #expect(message.messageType == .unknown("transaction_v2"))
        #expect(message.minSmartDeviceApi == "1.0.0")
    }

    @Test(arguments: [
        ("rogue_key_same_kid", XignPushHandleMessageErrorCodes.invalidSignature),
        ("tampered_pid", .invalidSignature), ("alg_none", .invalidSignature),
        ("not_personalized", .identityManagerNotPersonalized),
        ("wrong_activation", .identityManagerNotPersonalized),
        ("iss_differs_from_idm", .unexpectedError), ("wrong_typ", .unexpectedError),
        ("duplicate_member", .unexpectedError), ("fraction", .unexpectedError),
        ("signature_tail_bits", .unexpectedError), ("expired", .unexpectedError),
    ])
    func `a bad push is refused with its own error`(
        name: String, code: XignPushHandleMessageErrorCodes
    ) async throws {
        let harness = try await XignInHarness(vectors: true)
        try await harness.phone.learnTime()
        let before = await harness.phone.store.count
        let requests = await harness.manager.requests.count
        let refusal = try #require(await harness.phone.refusal(of: data(name)), "\(name) is taken.")
        #expect(refusal.code == code)
        let isLate = refusal.isLate
        #expect(isLate == (name == "expired"))
        // Step 7 remembers what is expired; nothing else leaves a trace.
        if name != "expired" { #expect(await harness.phone.store.count == before) }
        #expect(await harness.manager.requests.count == requests)
    }

    @Test func `what may be expired is announced where the server's time is unknown`()
        async throws
    {
        let harness = try await XignInHarness(vectors: true)
        let phone = try harness.phone.restarted()
        guard case .authentication = try await phone.handle(data("expired")) else {
            Issue.record("Uncertain is never expired.")
            return
        }
    }

    @Test func `authentication, then cancel: the process is over`() async throws {
        let harness = try await XignInHarness(vectors: true)
        _ = try await harness.phone.handle(data("authentication"))
        #expect(try await harness.phone.state(WorkedExample.process) == .open)
        _ = try await harness.phone.handle(data("cancel"))
        guard case .over(let withdrawal) = try await harness.phone.state(WorkedExample.process)
        else {
            Issue.record("It is over.")
            return
        }
        #expect(withdrawal.reason == .elsewhere)
    }

    @Test func `every vector has an outcome here`() {
        let positives = vectors["push_oxrw_msg"]?.object?.count
        let negatives = vectors["negative_push_oxrw_msg"]?.object?.count
        #expect(positives == 7)
        #expect(negatives == 11)
    }
}
