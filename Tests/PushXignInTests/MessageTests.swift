import Foundation
import PushCore
import PushTesting
import PushXignIn
import Testing

/// `docs/vendors/xignin.md#a-push`, property by property, and what becomes of later values.
@Suite struct MessageTests {
    private let harness: XignInHarness
    private let push: Push

    init() async throws {
        harness = try await XignInHarness()
        await harness.manager.begin()
        push = try #require(await harness.manager.outbox.first?.push)
    }

    private func handle(_ push: Push) async throws -> XignPushMessageResult? {
        try await harness.phone.handle(push.data(harness.manager.key))
    }

    private func authentication(_ push: Push) async throws -> XignPushMessageAuthentication {
        guard case .authentication(let message) = try await handle(push) else {
            throw NothingThrown()
        }
        return message
    }

    /// The same push about a process of its own.
    private func fresh(_ name: String, _ value: JSON?) -> Push {
        push.with("pid", .string("prc-\(UUID().uuidString)")).with(name, value)
    }

    // MARK: Priority

    @Test(arguments: [
        ("unspecified", XignPushMessagePriority.unspecified), ("low", .low), ("normal", .normal),
        ("high", .high), ("urgent", .unspecified), ("", .unspecified), ("HIGH", .unspecified),
    ])
    func `a priority is one of four, and an unknown one unspecified`(
        text: String, priority: XignPushMessagePriority
    ) async throws {
        #expect(try await authentication(fresh("prio", .string(text))).priority == priority)
    }

    @Test func `without a priority it is unspecified`() async throws {
        #expect(try await authentication(fresh("prio", nil)).priority == .unspecified)
        #expect(try await authentication(fresh("prio", .null)).priority == .unspecified)
    }

    // MARK: Texts

    @Test func `texts are optional`() async throws {
        for value in [nil, .null] as [JSON?] {
            let message = try await authentication(fresh("title", value).with("message", value))
            #expect(message.title == nil)
            #expect(message.message == nil)
        }
    }

    @Test func `texts are cut after 120 and 500 Unicode scalars`() async throws {
        let long = String(repeating: "e\u{301}", count: 260)
        let message = try await authentication(
            fresh("title", .string(String(long.prefix(70)))).with("message", .string(long)))
        #expect(message.title?.unicodeScalars.count == 120)
        #expect(message.message?.unicodeScalars.count == 500)
        let fits = String(repeating: "x", count: 120)
        #expect(try await authentication(fresh("title", .string(fits))).title == fits)
    }

    @Test func `control and bidirectional characters are taken out of the texts`() async throws {
        let text = "Sign\u{202E}\u{2066}-in\u{7}\u{0} \u{200F}now\u{2069}"
        let message = try await authentication(
            fresh("title", .string(text)).with("message", .string(text)))
        #expect(message.title == "Sign-in now")
        #expect(message.message == "Sign-in now")
    }

    @Test func `a text of another kind is an error`() async throws {
        for name in ["title", "message", "prio"] {
            let data = try fresh(name, 7).data(harness.manager.key)
            #expect(await harness.phone.refusal(of: data)?.code == .unexpectedError, "\(name)")
        }
    }

    // MARK: Cancel

    @Test(arguments: [
        ("processed_elsewhere", Withdrawal.Reason.elsewhere), ("aborted", .cancelled),
        ("completed", .finished), ("expired", .expired), ("lost_interest", .cancelled),
    ])
    func `a cancel says why, and an unknown reason is an abort`(
        text: String, reason: Withdrawal.Reason
    ) async throws {
        let cancel = fresh("msg", "cancel").with("reason", .string(text))
        guard case .cancel(let message) = try await handle(cancel) else {
            Issue.record("It is a cancel.")
            return
        }
        #expect(message.reason == reason)
        #expect(message.idmIdentifier == WorkedExample.idm)
        #expect(cancel.claims["pid"] == .string(message.processId))
    }

    @Test func `a cancel without a reason is an abort`() async throws {
        guard case .cancel(let message) = try await handle(fresh("msg", "cancel")) else {
            Issue.record("It is a cancel.")
            return
        }
        #expect(message.reason == .cancelled)
    }

    @Test(arguments: [true, false])
    func `each kind says whether it may be ignored`(isIgnorable: Bool) async throws {
        for kind in ["authentication", "cancel", "transaction_v2"] {
            let push = fresh("msg", .string(kind)).with("ign", .bool(isIgnorable))
            let result = try #require(await handle(push))
            #expect(result.isIgnorable == isIgnorable, "\(kind)")
            #expect(result.idmIdentifier == WorkedExample.idm)
            #expect(.string(result.processId) == push.claims["pid"])
        }
    }

    @Test func `what may be ignored is shown all the same while the app can act`() async throws {
        let push = await harness.manager.push(
            "prc-ignorable", to: WorkedExample.activation, ignorable: true)
        let reception = try #require(
            await harness.phone.receive(push.data(harness.manager.key)).first)
        guard case .notice(let notice, _) = reception.kind else {
            Issue.record("It is announced.")
            return
        }
        #expect(reception.isNew)
        #expect(notice.isIgnorable)
    }

    // MARK: Incompatible challenges

    @Test(arguments: [
        "1.0.1", "1.1.0", "2.0.0", "0.9.0", "0.0.0", "99999.0.0", "1.0.99999", "1.0", "1",
        "1.0.0.0", "01.0.0", "1.00.0", "v1.0.0", "1.0.0-beta", "", "1.0.100000", "-1.0.0",
        " 1.0.0", "１.0.0",
    ])
    func `a version we don't speak, or can't read, is incompatible`(version: String)
        async throws
    {
        let push = fresh("min_api", .string(version))
        guard case .incompatible(let message) = try await handle(push) else {
            Issue.record("\(version) is incompatible.")
            return
        }
        #expect(message.minSmartDeviceApi == version)
        #expect(message.messageType == .authentication)
        #expect(try await harness.phone.state(message.processId) != .open)
        #expect(await harness.manager.requests.count == 1)
    }

    @Test func `versions are compared as numbers`() async throws {
        var configuration = Phone.quick
        let (first, last) = (SmartDeviceAPI(1, 0, 0), SmartDeviceAPI(1, 10, 2))
        configuration.supportedAPI = first...last
        let harness = try await XignInHarness(configuration: configuration)
        await harness.manager.begin()
        let push = try #require(await harness.manager.outbox.first?.push)
        for version in ["1.0.0", "1.9.0", "1.9.99999", "1.10.0", "1.10.2"] {
            let bent = push.with("pid", .string("prc-\(version)"))
                .with("min_api", .string(version))
            guard
                case .authentication = try await harness.phone.handle(
                    bent.data(harness.manager.key))
            else {
                Issue.record("\(version) is spoken.")
                continue
            }
        }
        for version in ["1.10.3", "1.11.0", "1.100.0", "2.0.0", "0.10.0"] {
            let bent = push.with("pid", .string("prc-\(version)"))
                .with("min_api", .string(version))
            guard
                case .incompatible = try await harness.phone.handle(bent.data(harness.manager.key))
            else {
                Issue.record("\(version) isn't spoken.")
                continue
            }
        }
    }

    @Test(arguments: ["transaction_v2", "", "Authentication", "CANCEL", "x y"])
    func `a kind nobody knows keeps its name`(kind: String) async throws {
        guard case .incompatible(let message) = try await handle(fresh("msg", .string(kind)))
        else {
            Issue.record("It is incompatible.")
            return
        }
        #expect(message.messageType == .unknown(kind))
        #expect(message.minSmartDeviceApi == "1.0.0")
    }

    @Test func `a later version of a kind nobody knows says both`() async throws {
        let push = fresh("msg", "transaction_v2").with("min_api", "3.1.4")
        guard case .incompatible(let message) = try await handle(push) else {
            Issue.record("It is incompatible.")
            return
        }
        #expect(message.messageType == .unknown("transaction_v2"))
        #expect(message.minSmartDeviceApi == "3.1.4")
    }

    // MARK: Codable

    @Test func `each result survives a round trip`() async throws {
        let pushes = [
            fresh("title", "x"), fresh("title", nil).with("message", nil).with("prio", nil),
            fresh("msg", "cancel").with("reason", "completed"), fresh("min_api", "2.0.0"),
            fresh("msg", "transaction_v2"), fresh("msg", "cancel").with("min_api", "2.0.0"),
        ]
        for push in pushes {
            let result = try #require(await handle(push))
            let data = try JSONEncoder().encode(result)
            #expect(try JSONDecoder().decode(XignPushMessageResult.self, from: data) == result)
            switch result {
            case .authentication(let message): try expectRoundTrip(message)
            case .cancel(let message): try expectRoundTrip(message)
            case .incompatible(let message): try expectRoundTrip(message)
            @unknown default: Issue.record("There are three kinds.")
            }
        }
    }

    private func expectRoundTrip<Message: Codable & Equatable>(_ message: Message) throws {
        let data = try JSONEncoder().encode(message)
        #expect(try JSONDecoder().decode(Message.self, from: data) == message)
        let list = try PropertyListEncoder().encode(message)
        #expect(try PropertyListDecoder().decode(Message.self, from: list) == message)
    }

    @Test func `what can't be a result isn't decoded as one`() {
        for text in ["{}", "[]", #"{"authentication":{}}"#, #"{"other":{"processId":"x"}}"#] {
            #expect(throws: (any Error).self) {
                try JSONDecoder().decode(XignPushMessageResult.self, from: Data(text.utf8))
            }
        }
    }

    @Test func `a result that comes back from a notification can only be opened by its names`()
        async throws
    {
        let message = try await authentication(push)
        let data = try JSONEncoder().encode(message)
        let text = String(decoding: data, as: UTF8.self)
            .replacingOccurrences(of: message.processId, with: "prc-invented")
        let forged = try JSONDecoder().decode(
            XignPushMessageAuthentication.self, from: Data(text.utf8))
        let authenticator = harness.phone.door
        await #expect(throws: XignSdkError.self) {
            _ = try await authenticator.fetchPushAuthenticationInitializationData(message: forged)
        }
        #expect(await harness.manager.requests.count == 1)
    }

    @Test func `the mapper has both forms, and three cases`() {
        let codes: [(XignSdkErrorCode, XignPushHandleMessageErrorCodes)] = [
            (.identityManagerNotPersonalized, .identityManagerNotPersonalized),
            (.invalidSignature, .invalidSignature), (.processOver, .unexpectedError),
            (.unexpectedError, .unexpectedError), (.communication, .unexpectedError),
            (.cancelled, .unexpectedError),
        ]
        for (code, expected) in codes {
            #expect(XignPushHandleMessageErrorCodes.from(errorCode: code) == expected)
            #expect(XignPushHandleMessageErrorCodes.from(code) == expected)
        }
    }
}
