import Foundation
import PushCore
import PushOneSpan
import PushOneSpanSimulator
import PushTesting
import Testing

/// The push around a command (`docs/vendors/onespan-ooc.md#11-how-commands-travel`), and how it
/// may arrive.
@Suite(.timeLimit(.minutes(10))) struct PayloadTests {
    /// The command of a genuine login push.
    private func content(_ handset: OneSpanHarness) async throws -> String {
        _ = try await handset.site.login()
        let text = try #require(try await handset.pushes().first?["oos"]?.string)
        return try #require(try JSON(parsing: text)["content"]?.string)
    }

    private func fcm(_ object: JSON) -> PushMessage { PushMessage(fcm: ["oos": object.text]) }

    private func isTaken(_ message: PushMessage, by handset: OneSpanHarness) async -> Bool {
        ((try? await handset.authenticator.receive(message).receptions) ?? []).contains { $0.isNew }
    }

    @Test func `a push comes as FCM data and as an APNs payload`() async throws {
        let handset = try await OneSpanHarness.joined()
        let first = try await content(handset)
        #expect(await isTaken(fcm(["v": 1, "content": .string(first)]), by: handset))
        let second = try await content(handset)
        let apns: JSON = [
            "aps": ["alert": ["title": "x", "body": "y"]],
            "oos": [
                "v": 1, "content": .string(second.lowercased()), "title": "t",
                "subject": "s", "attributes": ["k": "v"],
            ],
        ]
        #expect(await isTaken(try PushMessage(json: apns.data), by: handset))
    }

    @Test func `a payload of another form is nothing`() async throws {
        let handset = try await OneSpanHarness.joined()
        let good = try await content(handset)
        let tooLong = String(repeating: "4F", count: 769)
        let bad: [JSON] = [
            ["v": 2, "content": .string(good)], ["v": "1", "content": .string(good)],
            ["content": .string(good)], ["v": 1], ["v": 1, "content": ""],
            ["v": 1, "content": .string(String(good.dropLast()))],
            ["v": 1, "content": .string("0x" + good)],
            ["v": 1, "content": .string(good + " ")],
            ["v": 1, "content": .string("G" + good.dropFirst())],
            ["v": 1, "content": .string(tooLong)],
            ["v": 1, "content": .string(good), "attributes": ["k": 1]],
            ["v": 1, "content": .string(good), "attributes": ["k"]],
            ["v": 1, "content": [.string(good)]], [.string(good)], .string(good),
        ]
        for payload in bad {
            #expect(await !isTaken(fcm(payload), by: handset), "\(payload.text.prefix(40))")
        }
        for data in [["content": good], ["oos": good], ["v": "1", "content": good], [:]] {
            #expect(await !isTaken(PushMessage(fcm: data), by: handset))
        }
        #expect(await isTaken(fcm(["v": 1, "content": .string(good)]), by: handset))
        #expect(await handset.site.server.types.isEmpty)
    }

    @Test(arguments: [
        OneSpanSimulator.BadPush.wrongKey, .wrongType, .unknownField, .tooLong,
        .notHexadecimal, .version(2), .withoutContent,
    ])
    func `a push that the platform would never send announces nothing`(
        fault: OneSpanSimulator.BadPush
    ) async throws {
        let handset = try await OneSpanHarness.joined()
        _ = try await handset.site.tenant.startLogin(
            of: Sample.user, asking: .confirm, spoiledBy: fault)
        let messages = try await handset.pushes()
        #expect(!messages.isEmpty)
        for message in messages { #expect(await !isTaken(message, by: handset)) }
        #expect(try await handset.authenticator.records().isEmpty)
        #expect(await handset.site.server.types.isEmpty)
    }

    @Test func `a push for another user of the same device is that user's`() async throws {
        let handset = try await OneSpanHarness.joined()
        try await handset.join(Sample.otherUser)
        _ = try await handset.site.tenant.startLogin(
            of: Sample.user, asking: .confirm,
            spoiledBy: .addressed(to: Sample.otherUser))
        await handset.site.server.forget()
        for message in try await handset.pushes() {
            for reception in try await handset.authenticator.receive(message) {
                let id = try #require(reception.challenge)
                // The request is the first user's: the server refuses to show it to another.
                await #expect(throws: PushError.self) {
                    _ = try await handset.authenticator.challenge(id)
                }
            }
        }
        #expect(await handset.user.answerRequests.isEmpty)
    }

    @Test func `a request that the server doesn't know is over or refused, not shown`()
        async throws
    {
        let handset = try await OneSpanHarness.joined()
        _ = try await handset.site.tenant.startLogin(
            of: Sample.user, asking: .confirm, spoiledBy: .unknownRequest)
        let reception = try #require(try await handset.receive().first?.challenge)
        let error = try await refusal {
            _ = try await handset.authenticator.challenge(reception)
        }
        #expect(
            error.oneSpan == .session(-1400) || error.oneSpan == .outdated(.unknown))
        #expect(try await handset.state == .active)
    }

    @Test func `the same notification handed over twice is one request`() async throws {
        let handset = try await OneSpanHarness.joined()
        let site = handset.site
        await site.tenant.next(push: OneSpanSimulator.PushFault.duplicate)
        let request = try await site.login()
        let receptions = try await handset.receive()
        #expect(receptions.map(\.isNew) == [true, false])
        #expect(try await handset.authenticator.records().count == 1)
        let challenge = try await handset.authenticator.challenge(handset.id(request))
        #expect(
            try await handset.authenticator.resolve(challenge, with: .approve) == .delivered)
        #expect(await site.server.types == [0x21, 0x23])
    }

    @Test func `at once, while the first is being fetched, and after the answer`() async throws {
        let handset = try await OneSpanHarness.joined()
        let site = handset.site
        let request = try await site.login()
        let message = try #require(try await handset.pushes().first)
        async let one = handset.authenticator.receive(message)
        async let two = handset.authenticator.receive(message)
        #expect(try await [one, two].flatMap { $0 }.filter(\.isNew).count == 1)
        let gate = Gate(letsCancelledPass: true)
        await site.server.next(.holdReply(gate), at: 0x21)
        async let opening = handset.authenticator.challenge(handset.id(request))
        await gate.arrival()
        #expect(try await handset.authenticator.receive(message).map(\.isNew) == [false])
        await gate.open()
        let challenge = try await opening
        #expect(
            try await handset.authenticator.resolve(challenge, with: .approve) == .delivered)
        let after = try await handset.authenticator.receive(message)
        #expect(after.allSatisfy { !$0.isNew })
        #expect(try await handset.record(request) == .answered(.approve, .delivered))
        #expect(await site.server.types == [0x21, 0x23])
    }

    @Test func `a push that was held back while another came is taken as well`() async throws {
        let handset = try await OneSpanHarness.joined()
        let site = handset.site
        await site.tenant.next(push: OneSpanSimulator.PushFault.hold)
        let first = try await site.login()
        let second = try await site.login()
        #expect(try await handset.approve(second) == .delivered)
        await site.tenant.releasePushes()
        #expect(try await handset.approve(first) == .delivered)
    }

    @Test func `a reply that someone pushes is no request`() async throws {
        let handset = try await OneSpanHarness.joined()
        let site = handset.site
        _ = try await handset.approve(site.login())
        for reply in await site.server.exchanges.compactMap(\.reply) {
            let payload: JSON = ["v": 1, "content": .string(reply.hex)]
            #expect(await !isTaken(fcm(payload), by: handset))
            #expect(
                await !isTaken(PushMessage(text: reply.hex, by: .scanned), by: handset))
        }
        #expect(try await handset.authenticator.records().count == 1)
    }

    @Test func `any text that is no command is left alone`() async throws {
        let handset = try await OneSpanHarness.joined()
        for text in ["", "hello", "otpauth://totp/x?secret=AA", "0", "https://example.com/4F"] {
            #expect(
                handset.provider.candidate(in: PushMessage(text: text, by: .scanned)) == nil,
                "\(text)")
        }
        #expect(try handset.authenticator.offers(for: .scanned(text: "K7M2Q9XD")).isEmpty)
    }
}
