import Crypto
import Foundation
import PushCore
import PushOneSpan
import PushOneSpanSimulator
import PushTesting
import Testing

/// What the user sees, whole or not at all, and what the answer binds:
/// `docs/vendors/onespan.md#what-the-user-sees`.
@Suite(.timeLimit(.minutes(10))) struct ShownRequestTests {
    static func digest(_ fields: [OneSpanSimulator.Field]) -> Data {
        var data: [UInt8] = [1, UInt8(fields.count)]
        for text in fields.flatMap({ [$0.key, $0.value] }) {
            let count = text.utf8.count
            data += [UInt8(count >> 8), UInt8(count & 255)] + Array(text.utf8)
        }
        return Data(SHA256.hash(data: data))
    }

    @Test(arguments: [
        [OneSpanSimulator.Field("To", "A\nAmount: 1,00")],
        [.init("a;b", "c=d|e:f,g#h"), .init("a", "b;b=c")],
        [.init("Amount", ""), .init("Amount", "twice")],
        [.init("Größe", "1 000 000 ₽"), .init("العنوان", "القاهرة")],
        (0..<16).map {
            .init(
                "\($0)" + String(repeating: "k", count: 60), String(repeating: "v", count: 256))
        },
    ])
    func `fields are shown one by one, whole and in their order`(
        fields: [OneSpanSimulator.Field]
    ) async throws {
        let handset = try await OneSpanHarness.joined()
        let request = try await handset.site.transaction(fields)
        let challenge = try await handset.open(request)
        let details = try #require(challenge.details(as: OneSpanRequest.self))
        #expect(details.kind == .transaction)
        #expect(
            details.content == .fields(fields.map { .init($0.key, $0.value) }))
        #expect(challenge.fields.map(\.label) == fields.map(\.key))
        #expect(challenge.fields.count == fields.count)
        #expect(challenge.shown.suffix(fields.count) == challenge.fields[...])
        #expect(
            try await handset.authenticator.resolve(challenge, with: .approve) == .delivered)
        #expect(await handset.site.decision(request)?.displayDigest == Self.digest(fields))
    }

    @Test func `a text of the full length is shown whole`() async throws {
        let text = String(repeating: "Zug um Zug. ", count: 341) + "Ende"
        let site = Site { $0.loginDisplay = .text(text) }
        let handset = try await OneSpanHarness.joined(site)
        let request = try await site.login()
        let challenge = try await handset.open(request)
        #expect(text.utf8.count == 4_096)
        #expect(challenge.fields.map(\.value).joined() == text)
        #expect(Set(challenge.fields.map(\.label)) == [""])
        #expect(challenge.prompt == .approve)
        #expect(
            try await handset.authenticator.resolve(challenge, with: .approve) == .delivered)
        #expect(
            await site.decision(request)?.displayDigest
                == Data(SHA256.hash(data: [2] + Array(text.utf8))))
    }

    @Test(arguments: [
        OneSpanSimulator.ReplyFault.undecodableDisplay, .withoutDisplay,
    ])
    func `a transaction that can't be shown whole can't be approved`(
        fault: OneSpanSimulator.ReplyFault
    ) async throws {
        let handset = try await OneSpanHarness.joined()
        let site = handset.site
        let request = try await site.transaction()
        await site.tenant.next(reply: fault)
        let challenge = try await handset.open(request)
        guard case .denyOnly = challenge.prompt else {
            Issue.record("It can be approved.")
            return
        }
        #expect(challenge.fields.isEmpty)
        let error = try await refusal {
            _ = try await handset.authenticator.resolve(challenge, with: .approve)
        }
        #expect(error.code == .unsupported)
        #expect(await handset.user.answerRequests.isEmpty)
        #expect(await site.status(request) == .pending)
        #expect(await site.server.types == [0x31])
    }

    @Test func `neither can a login whose text can't be decoded`() async throws {
        let site = Site { $0.loginDisplay = .fields(Site.fields) }
        let handset = try await OneSpanHarness.joined(site)
        let request = try await site.login()
        await site.tenant.next(reply: OneSpanSimulator.ReplyFault.undecodableDisplay)
        let challenge = try await handset.open(request)
        #expect(
            challenge.prompt == .denyOnly("Part of what it shows can't be read."))
    }

    @Test(arguments: ["a\u{202E}b", "a\u{200B}b", "a\tb", "a\u{7}b", "a\r\nb", "a\u{2066}b"])
    func `what is unsafe to show is bound as it was sent, and kept in the details`(
        value: String
    ) async throws {
        let handset = try await OneSpanHarness.joined()
        let fields = [OneSpanSimulator.Field("To", value)]
        let request = try await handset.site.transaction(fields)
        let challenge = try await handset.open(request)
        let details = try #require(challenge.details(as: OneSpanRequest.self))
        #expect(details.content == .fields([.init("To", value)]))
        let shown = try #require(challenge.fields.first?.value.unicodeScalars)
        for unsafe in ["\u{202E}", "\u{200B}", "\u{7}", "\u{2066}"] as [Unicode.Scalar] {
            #expect(!shown.contains(unsafe))
        }
        #expect(
            try await handset.authenticator.resolve(challenge, with: .approve) == .delivered)
        #expect(await handset.site.decision(request)?.displayDigest == Self.digest(fields))
    }

    @Test func `a text that ends like a cut one is shown whole all the same`() async throws {
        let text = String(repeating: "x", count: 4_000) + "…"
        let site = Site { $0.loginDisplay = .text(text) }
        let handset = try await OneSpanHarness.joined(site)
        let challenge = try await handset.open(site.login())
        #expect(challenge.fields.map(\.value).joined() == text)
    }

    @Test func `a login may show fields, too`() async throws {
        let site = Site { $0.loginDisplay = .fields(Site.fields) }
        let handset = try await OneSpanHarness.joined(site)
        let request = try await site.login()
        let challenge = try await handset.open(request)
        #expect(challenge.fields.map(\.label) == ["Amount", "To"])
        #expect(
            try await handset.authenticator.resolve(challenge, with: .approve) == .delivered)
    }

    @Test func `title and subject of a push are nobody's word`() async throws {
        let site = Site {
            $0.transactionTitle = "Pay 1 EUR"
            $0.transactionSubject = "to yourself"
        }
        let handset = try await OneSpanHarness.joined(site)
        let request = try await site.transaction()
        let receptions = try await handset.receive()
        guard case .notice(let notice, _) = receptions.first?.kind else {
            Issue.record("A genuine command announces a request.")
            return
        }
        #expect(notice.title == nil && notice.body == nil)
        let challenge = try await handset.authenticator.challenge(handset.id(request))
        #expect(challenge.fields.map(\.value).first == "100.00 EUR")
    }

    @Test func `a transaction without a method asks for none`() async throws {
        let handset = try await OneSpanHarness.joined()
        let request = try await handset.site.transaction(method: .none)
        #expect(try await handset.approve(request) == .delivered)
        let asked = await handset.user.answerRequests.flatMap(\.alternatives).flatMap { $0 }
        #expect(!asked.contains(.pin) && !asked.contains(.biometry))
    }
}
