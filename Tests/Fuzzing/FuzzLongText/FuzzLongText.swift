import Foundation
import HTTPTypes
import PushAuthFuzzing
import PushCore
import PushForgeRock
import PushFuzzing
import PushPlusAuth
import PushPrivacyIDEA
import PushTesting

@testable import PushAuthCommand
@testable import PushCapture

/// Feeds what strangers write to those of its readers that have no bound of their own: invitations,
/// pushes, replies, callbacks, forms and what captures show, each 128 KiB that repeat what the
/// fuzzer found.
@main
enum FuzzLongText {
    private static let size = 1 << 17

    static func main() throws {
        let environment = PushEnvironment(
            transport: SimulatedTransport { _, _ in (HTTPResponse(status: .notFound), Data()) },
            store: InMemoryStore(), verifier: ScriptedVerifier.willing(),
            random: SeededRandom(seed: 1), device: Device(name: "Example"))
        let providers: [any PushProvider] = [
            ForgeRock(in: environment), PlusAuth(in: environment), PrivacyIDEA(in: environment),
        ]
        fuzz { bytes in
            guard let text = grown(bytes, to: size) else { return }
            let string = String(decoding: text, as: UTF8.self)
            for provider in providers {
                _ = try? provider.enroller.offer(.scanned(text: string))
                if let message = try? PushMessage(json: Data(text)) {
                    _ = provider.candidate(in: message)
                }
            }
            text.withUnsafeBytes { text in
                expectKept(
                    Inner.httpDate(text) ?? Inner.powerAuthCallback(text) ?? Inner.etcdReply(text))
            }
            expectKept { await Inner.vendorReply(Array("200 a/b\n".utf8) + text, in: environment) }
            serve(Data(text), string)
            var redaction = CaptureRedaction()
            _ = redaction.json(.string(string))
            _ = redaction.sentence(string)
            _ = redaction.response(HTTPResponse(status: .ok), Data(text))
        }
    }

    /// What the intakes read, as far as they read it without a credential, and a message.
    private static func serve(_ body: Data, _ text: String) {
        var head = HTTPRequest(method: .post, scheme: nil, authority: nil, path: "/" + text)
        head.headerFields = [.authorization: "Bearer " + text, .contentType: text]
        for name in [HTTPField.Name.apnsID, .apnsTopic, .apnsExpiration, .apnsCollapseID] {
            head.headerFields[name] = text
            expect((try? APNsHeaders(head.headerFields)) == nil, "no header is that long")
        }
        _ = head.plainPath
        _ = head.mediaType
        let tokens = AccessTokens(key: Secret(Array(repeating: 7, count: 32)))
        expect(
            (try? tokens.grant(of: head.credential("bearer") ?? "", at: .now)) == nil,
            "no token is that long")
        expect(CompactToken(text) == nil, "no signed token is that long")
        do throws(FCMRefusal) {
            _ = try FCMMessage(body)
        } catch {
            expect(error.reply.response.body.count < 8192, "a refusal says little of what came")
        }
    }
}
