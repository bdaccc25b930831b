import Crypto
import Foundation
import PushCore

@testable import PushPowerAuth

extension Inner {
    static let server = try? ExampleServer()

    /// Reads the text of an offline operation's QR code; and the same text signed by a server.
    ///
    /// The key is the SHA-256 of the text `pushkit-powerauth-key-0`, as for the seeds.
    public static func powerAuthOfflineCode(_ bytes: UnsafeRawBufferPointer) -> StaticString? {
        guard let server else { return "the example is a key" }
        let text = String(decoding: bytes, as: UTF8.self)
        if let broken = checked(text, server) { return broken }
        guard let signed = try? server.signed(text + "\n1") else { return "a text can be signed" }
        return checked(signed, server)
    }

    private static func checked(_ text: String, _ server: ExampleServer) -> StaticString? {
        guard let code = OfflineCode(text) else { return nil }
        let lines = Data(text.utf8).split(separator: 0x0A, omittingEmptySubsequences: false)
        guard lines.count >= 7, let last = lines.last,
            let nonce = Data(base64Encoded: Data(lines[lines.count - 2])), nonce.count == 16
        else { return "seven lines, the last but one a nonce" }
        guard code.nonce == nonce else { return "others read the same nonce" }
        let isSigned = server.hasSigned(
            Data(text.utf8.dropLast(last.count - 1)), Data(base64Encoded: Data(last.dropFirst())))
        guard code.isSigned(by: server.point) == isSigned else {
            return "only what the server signed is signed"
        }
        guard isSigned else { return nil }
        let operation: PowerAuthOfflineOperation
        do throws(PushError) {
            operation = try PowerAuthOfflineOperation(verified: code)
        } catch {
            return error.code == .malformed ? nil : "what is signed and can't be read is malformed"
        }
        return checked(operation, lines)
    }

    private static func checked(
        _ operation: PowerAuthOfflineOperation, _ lines: [Data]
    ) -> StaticString? {
        guard Data(operation.id.utf8) == lines[0], Data(operation.data.utf8) == lines[3] else {
            return "what the answer binds is what the code says"
        }
        var body = lines[0] + Data("&".utf8) + lines[3]
        if lines.count > 7, !lines[5].isEmpty { body += Data("&".utf8) + lines[5] }
        guard operation.body == body, !operation.id.isEmpty else {
            return "the answer binds operation, data and time-based code"
        }
        let texts = [operation.id, operation.title, operation.message, operation.data]
        guard texts.allSatisfy(hasLineBreaksAlone) else { return "nothing has control characters" }
        guard isShowable(operation.fields) else { return "what is shown is short and visible" }
        guard case .approve = operation.prompt else { return nil }
        guard let data = operation.operationData, data.fields.count <= 6 else {
            return "only what can be read is approved"
        }
        return nil
    }

    /// Reads a text as a link with a proximity code.
    public static func powerAuthProximityLink(_ bytes: UnsafeRawBufferPointer) -> StaticString? {
        let text = String(decoding: bytes, as: UTF8.self)
        for kind in [PowerAuthProximityCheck.Kind.qrCode, .deeplink] {
            guard let link = ProximityLink(text, type: kind) else { continue }
            guard link.operation.hasUUIDForm, link.otp.count > 0, link.type == kind else {
                return "a link names an operation, and has a code"
            }
            let received = ReceivedProximityCode(link, at: .milliseconds(1_234_567))
            guard let record = try? Secret.Record(reading: received.context),
                let again = ReceivedProximityCode(record),
                again.operation.utf8.elementsEqual(link.operation.utf8),
                again.otp.isEqualInConstantTime(to: link.otp), again.type == kind,
                again.received == received.received
            else { return "what a hint carries is read again" }
        }
        return nil
    }

    static func isShowable(_ fields: [Challenge.Field]) -> Bool {
        fields.allSatisfy { field in
            field.label.unicodeScalars.count <= 65 && field.value.unicodeScalars.count <= 2049
                && hasLineBreaksAlone(field.label) && hasLineBreaksAlone(field.value)
        }
    }

    private static func hasLineBreaksAlone(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy {
            $0 == "\n" || $0.properties.generalCategory != .control
        }
    }
}

/// A server whose key everyone knows.
struct ExampleServer: Sendable {
    let key: P256.Signing.PrivateKey
    let point: CurvePoint

    init() throws {
        let scalar = SHA256.hash(data: Data("pushkit-powerauth-key-0".utf8))
        key = try P256.Signing.PrivateKey(rawRepresentation: Array(scalar))
        point = try CurvePoint(key.publicKey.x963Representation)
    }

    func signed(_ text: String) throws -> String {
        let signature = try key.signature(for: Data(text.utf8)).derRepresentation
        return text + signature.base64EncodedString()
    }

    func hasSigned(_ text: Data, _ signature: Data?) -> Bool {
        guard let signature,
            let read = try? P256.Signing.ECDSASignature(derRepresentation: signature)
        else { return false }
        return key.publicKey.isValidSignature(read, for: text)
    }
}
