import Foundation
import HTTPTypes
import PushAuthFuzzing
import PushCore
import PushPrivacyIDEA
import PushTesting

/// Feeds the reader of privacyIDEA's codes: what it takes names a server by host, what it refuses it
/// explains, and what is somebody else's it leaves alone.
@main
enum FuzzPipushCode {
    static func main() {
        let provider = PrivacyIDEA(
            in: PushEnvironment(
                transport: NoTransport(), store: InMemoryStore(),
                verifier: ScriptedVerifier.willing(), device: Device(name: "Example")))
        fuzz { bytes in
            let text = String(decoding: bytes, as: UTF8.self)
            do throws(PushError) {
                guard let offer = try provider.enroller.offer(.scanned(text: text)) else { return }
                let head = text.lowercased()
                expect(
                    head.hasPrefix("otpauth://pipush") || head.hasPrefix("pia://pipush"),
                    "it is a code of this vendor's")
                expect(offer.host?.isEmpty == false, "there is a host for consent")
                for shown in [offer.issuer, offer.account] {
                    expect(shown.map(isShowable) ?? true, "what is shown can be shown")
                }
            } catch {
                expect(error.code == .invalidInvitation, "the error is of the invitation")
                expect(!error.reason.isEmpty, "the reason says what is wrong")
            }
        }
    }

    private static func isShowable(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
    }
}

/// Reading a code asks nobody.
private struct NoTransport: Transport {
    func send(
        _ request: HTTPRequest, body: Data
    ) async throws(PushError) -> (response: HTTPResponse, body: Data) {
        fatalError("Broken: reading a code asks nobody")
    }
}
