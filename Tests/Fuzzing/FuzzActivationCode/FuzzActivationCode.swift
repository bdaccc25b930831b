import Crypto
import Foundation
import PushAuthFuzzing
import PushCore
import PushPowerAuth

/// Feeds the readers of what a user scans or types for PowerAuth, and of an app's configuration: a
/// code is one by its own reckoning, too, and a scanned one is signed by the application's master key.
/// As no mutation finds a right signature, each code is also signed. And, as few mutations are Base64,
/// feeds the same bytes as what a configuration holds.
@main
enum FuzzActivationCode {
    static func main() throws {
        let server = try ExampleServer()
        fuzz { bytes in
            let text = String(decoding: bytes, as: UTF8.self)
            read(text)
            typed(text)
            offered(text, server)
            if ToldCode(text) != nil { signed(text, server) }
            configuration(text)
            configuration(Data(bytes).base64EncodedString())
        }
    }

    private static func read(_ text: String) {
        let told = ToldCode(text)
        do throws(PushError) {
            let code = try ActivationCode(text)
            expect(told != nil, "a code has the checksum that others reckon")
            expect(code.text.utf8.elementsEqual(text.utf8), "a code is what was read")
        } catch {
            expect(error.code == .invalidInvitation, "the error is of the invitation")
            expect(told == nil, "what others take for a code is one")
        }
    }

    private static func typed(_ text: String) {
        guard let code = try? ActivationCode.typed(text) else {
            return expect(ToldCode(text) == nil, "a code may be typed as it is")
        }
        expect(ToldCode(code.text) != nil, "what is made of a typed text is a code")
        let letters = text.uppercased().replacing("0", with: "O").replacing("1", with: "I")
        expect(
            letters.replacing("-", with: "") == code.text.replacing("-", with: ""),
            "only letters are corrected, and hyphens left out")
    }

    private static func offered(_ text: String, _ server: ExampleServer) {
        do throws(PushError) {
            let offer = try server.provider.enroller.offer(.scanned(text: text))
            expect(
                offer == nil || server.hasSigned(text),
                "a scanned code is signed by the master key")
        } catch {
            expect(error.code == .invalidInvitation, "the error is of the invitation")
        }
        do throws(PushError) {
            guard try server.provider.enroller.offer(.typed(text: text)) != nil else { return }
            expect(
                text.contains("#")
                    ? server.hasSigned(text) : (try? ActivationCode.typed(text)) != nil,
                "what is typed is a code, or signed")
        } catch {
            expect(error.code == .invalidInvitation, "the error is of the invitation")
        }
    }

    private static func signed(_ code: String, _ server: ExampleServer) {
        guard let text = try? server.signed(code) else {
            return expect(false, "a code can be signed")
        }
        expect(
            (try? server.provider.enroller.offer(.scanned(text: text))) != nil,
            "a code that the server signed is offered")
    }

    private static func configuration(_ text: String) {
        do throws(PushError) {
            let application = try PowerAuthApplication(sdkConfiguration: text)
            guard let data = Data(base64Encoded: text), data.first == 1,
                let key = Data(base64Encoded: application.key),
                let secret = Data(base64Encoded: application.secret.withBytes { Data($0) }),
                let point = try? P256.Signing.PublicKey(
                    x963Representation: application.masterPublicKey)
            else { return expect(false, "others read the values, too") }
            expect(key.count == 16 && secret.count == 16, "key and secret have 16 bytes")
            let parts = [key, secret].map { data.range(of: $0) }
            expect(parts.allSatisfy { $0 != nil }, "key and secret are in the text")
            expect(
                data.range(of: point.x963Representation) != nil
                    || data.range(of: point.compressedRepresentation) != nil,
                "the master key is in the text")
        } catch {
            expect(error.code == .invalidArgument, "the error is of the argument")
        }
    }
}
