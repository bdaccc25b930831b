import Foundation
import PushCore
import PushOneSpan
import PushOneSpanSimulator
import PushTesting
import Testing

/// Commands, activation passwords and PINs are in no text, and no PIN is in the store.
@Suite(.timeLimit(.minutes(10))) struct SecrecyTests {
    /// Everything that an app could print of a value.
    private static func texts(_ value: Any) -> String {
        var dumped = ""
        dump(value, to: &dumped)
        return "\(value)" + String(reflecting: value) + dumped
    }

    private func expect(
        _ texts: String, without secrets: [String],
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        for secret in secrets {
            let isFound = texts.localizedCaseInsensitiveContains(secret)
            #expect(!isFound, "\(secret)", sourceLocation: sourceLocation)
        }
    }

    @Test func `nothing that an app can print holds a secret`() async throws {
        let site = Site { $0.authToken = "the-token-of-the-session" }
        let handset = try await OneSpanHarness(site)
        let password = try await site.password()
        let offer = try #require(
            try handset.authenticator.offers(
                for: .credentials(user: Sample.user, password: Secret(Array(password.utf8)))
            ).first)
        var printed = Self.texts(offer)
        printed += Self.texts(try await handset.join(password: password))
        let request = try await site.transaction()
        let message = try #require(try await handset.pushes().first)
        let candidate = try #require(handset.provider.candidate(in: message))
        printed += Self.texts(try await candidate.verified(with: handset.provider.accounts))
        printed += Self.texts(try await handset.authenticator.receive(message))
        let challenge = try await handset.authenticator.challenge(handset.id(request))
        printed += Self.texts(challenge)
        printed += Self.texts(challenge.context)
        printed += Self.texts(try await handset.authenticator.announcement(of: challenge.id))
        printed += Self.texts(
            try await handset.authenticator.resolve(challenge, with: .approve))
        printed += Self.texts(try await handset.authenticator.records())
        printed += "\(handset.engine)"
        printed += Self.texts(handset.observer.observations)
        let commands = await site.server.exchanges.flatMap { [$0.command, $0.reply] }
            .compactMap { $0?.hex.dropFirst(104).prefix(24) }.map(String.init)
        expect(
            printed,
            without: [password, Sample.pin, "the-token-of-the-session"] + commands)
    }

    @Test func `no error text holds a secret`() async throws {
        let site = Site()
        let handset = try await OneSpanHarness(site)
        let password = try await site.password()
        var printed = ""
        for type in [UInt8(0x01), 0x03, 0x05] {
            await site.server.next(.turnReply(bit: 500), at: type)
            printed += Self.texts(
                try await refusal { try await handset.join(password: password) })
        }
        for typed in ["SECRETPW", "\(password)X", String(password.reversed())] {
            if let error = try? await refusal({
                try await handset.join(password: typed)
            }) {
                expect(Self.texts(error), without: [typed])
            }
        }
        try await handset.join()
        for type in [UInt8(0x21), 0x23, 0x10] {
            await site.server.next(.turnReply(bit: 500), at: type)
            do {
                if type == 0x10 {
                    printed += Self.texts(
                        try await handset.authenticator.deviceTokenChanged(.fcm("x")))
                } else {
                    _ = try await handset.pushes()
                    printed += Self.texts(try await handset.approve(site.pinLogin()))
                }
            } catch {
                printed += Self.texts(error)
            }
        }
        printed += Self.texts(handset.observer.observations)
        let commands = await site.server.exchanges.flatMap { [$0.command, $0.reply] }
            .compactMap { $0?.hex.dropFirst(104).prefix(24) }.map(String.init)
        expect(printed, without: [password, Sample.pin] + commands)
    }

    @Test func `the texts of unproved errors are shown to nobody`() async throws {
        let handset = try await OneSpanHarness.joined()
        await handset.site.tenant.next(reply: OneSpanSimulator.ReplyFault.clearError(-1300))
        let request = try await handset.site.login()
        let error = try await refusal { _ = try await handset.open(request) }
        #expect(!"\(error)".contains("forged error"))
        #expect(!error.reason.contains("forged error"))
    }

    @Test func `a command prints as nothing but that`() async throws {
        let command = try OrchestrationCommand("4F4F433101")
        #expect(command.hex == "4F4F433101")
        #expect(try OrchestrationCommand("4f4f433101") == command)
        expect(Self.texts(command), without: ["4F4F433101"])
        for text in ["", "4", "4G", "4F ", String(repeating: "00", count: 16_385)] {
            let error = try? OrchestrationCommand(text)
            #expect(error == nil)
        }
    }

    @Test func `neither PIN nor activation password is ever written`() async throws {
        let site = Site()
        let handset = try await OneSpanHarness(site)
        let password = try await site.password()
        try await handset.join(password: password)
        _ = try await handset.approve(site.pinLogin())
        await handset.user.type(Sample.wrongPIN)
        _ = try? await handset.approve(site.transaction())
        #expect(await !handset.store.written.isEmpty)
        for secret in [password, Sample.pin, Sample.wrongPIN] {
            #expect(await !handset.store.everHeld(Array(secret.utf8)))
            let base64 = Data(secret.utf8).base64EncodedString().prefix(8)
            #expect(await !handset.store.everHeld(Array(base64.utf8)))
        }
    }

    @Test func `an answer's sealed bytes are kept while it is under way, and then erased`()
        async throws
    {
        let handset = try await OneSpanHarness.joined()
        let site = handset.site
        let request = try await site.pinLogin()
        let challenge = try await handset.open(request)
        await site.server.next(.lose, at: 0x23)
        _ = try await handset.authenticator.resolve(challenge, with: .approve)
        let answer = try #require(await site.server.commands(0x23).first)
        let tail = Array(answer.bytes.suffix(40))
        #expect(await handset.store.everHeld(tail))
        _ = try await handset.authenticator.resume()
        let now = await handset.store.now
        let forms = [tail, Array(OOC.hex(tail).utf8)]
        #expect(
            !now.values.contains { record in forms.contains { Flash.run($0, isIn: record) } })
    }

    @Test func `no wrong PIN is told from the right one without the server`() async throws {
        let handset = try await OneSpanHarness.joined()
        let site = handset.site
        var shapes: Set<[Int]> = []
        for pin in [Sample.wrongPIN, Sample.pin] {
            await handset.user.type(pin)
            _ = try await handset.pushes()
            await site.server.forget()
            _ = try? await handset.approve(site.pinLogin())
            shapes.insert(await site.server.arrivals.map(\.bytes.count))
        }
        #expect(shapes.count == 1)
    }
}
