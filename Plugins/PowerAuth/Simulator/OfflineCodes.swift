public import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension PowerAuthSimulator {
    /// What an offline QR code asks.
    public struct OfflineRequest: Hashable, Sendable {
        /// The identifier of the operation it shows.
        public var operation: String

        /// Its title. Newlines and backslashes are escaped in the code.
        public var title: String

        /// Its message.
        public var message: String

        /// What is approved.
        public var data: String

        /// The flags, one letter each: `B` lets biometry sign.
        public var flags = "B"

        /// Whether the code holds a one-time password.
        public var hasPassword = false

        /// Lines that no version knows yet; they need ``hasPassword``.
        public var futureLines: [String] = []

        /// Which key signs.
        public var key = OfflineKey.personalized

        /// Creates a request.
        public init(operation: String, title: String, message: String, data: String) {
            self.operation = operation
            self.title = title
            self.message = message
            self.data = data
        }
    }

    /// The key that signs an offline QR code.
    public enum OfflineKey: Hashable, Sendable {
        /// The application's, so any of its apps can read the code.
        case master
        /// That of the activation.
        case personalized
    }

    /// An offline QR code.
    public struct OfflineCode: Hashable, Sendable, Identifiable {
        /// What the server knows it by.
        public let id: String

        /// The text of the QR code.
        public let text: String

        /// The nonce in it, 16 bytes in Base64.
        public let nonce: String

        /// The one-time password in it, if there is one.
        public let password: String?
    }

    /// What came of an offline signature.
    public enum OfflineVerdict: Hashable, Sendable {
        /// It is right, made with these factors.
        case accepted(SignatureType)
        /// It isn't, or it can't be checked now.
        case refused
    }
}

/// An offline QR code as the server keeps it.
struct OfflineRecord: Sendable {
    let activation: String
    let nonce: String
    let body: Data
    let allowsBiometry: Bool
    /// What its one-time password is made of, if it has one.
    let seed: Secret?
    let password: String?
}

extension PowerAuthSimulator {
    /// Makes an offline QR code for an activation.
    ///
    /// - Throws: `PushError` with the code `notFound` if there is no such activation.
    public func createOfflineCode(
        _ request: OfflineRequest, for id: ActivationRecord.ID
    ) throws(PushError) -> OfflineCode {
        guard let activation = activations[id] else {
            throw PushError(.notFound, "There is no such activation.")
        }
        let nonce = configuration.random.data(16).base64
        let seed = request.hasPassword ? configuration.random.bytes(16) : nil
        let password = seed.flatMap { ProximityPassword.text($0, at: configuration.now) }
        var lines = [
            request.operation, Self.escaped(request.title), Self.escaped(request.message),
            request.data, request.flags,
        ]
        if let password { lines += [password] + request.futureLines }
        lines.append(nonce)
        lines.append(request.key == .master ? "0" : "1")
        let signed = lines.joined(separator: "\n")
        let key =
            request.key == .master ? activation.application.masterKey : activation.serverKey
        let signature = key.derSignature(over: Data(signed.utf8)) ?? Data()
        let parts = [request.operation, request.data] + (password.map { [$0] } ?? [])
        let code = OfflineCode(
            id: configuration.random.identifier(), text: signed + signature.base64, nonce: nonce,
            password: password)
        offlineCodes[code.id] = OfflineRecord(
            activation: id, nonce: nonce, body: Data(parts.joined(separator: "&").utf8),
            allowsBiometry: request.flags.contains("B"), seed: seed, password: password)
        return code
    }

    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": escaped += "\\\\"
            case "\n": escaped += "\\n"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }

    /// Checks what a user copied from the device, as a web page would have the server do.
    ///
    /// It counts like any signature: a wrong one counts against the activation, and a right one
    /// moves the counter.
    ///
    /// - Throws: `PushError` with the code `notFound` if there is no such code.
    public func verifyOfflineSignature(
        _ signature: String, of code: OfflineCode.ID
    ) throws(PushError) -> OfflineVerdict {
        sweep()
        guard let record = offlineCodes[code] else {
            throw PushError(.notFound, "There is no such offline code.")
        }
        guard let activation = activations[record.activation], activation.state == .active,
            let keys = activation.keys, isCurrent(record)
        else { return .refused }
        let bytes = Signature.Input(
            uriID: "/operation/authorize/offline", nonce: record.nonce, body: record.body,
            secret: "offline"
        ).bytes
        let types: [SignatureType] =
            [.possessionKnowledge] + (record.allowsBiometry ? [.possessionBiometry] : [])
        let digits = min(max(configuration.offlineDigits, 4), 8)
        let given = Secret(signature.utf8)
        var found: SignatureType?
        let isRight = accept(.possessionKnowledge, by: activation.id) { counter in
            found = types.first { type in
                let components = Signature.components(
                    type.keys(keys), counter: counter, over: bytes)
                let expected = Signature.decimal(components, digits: digits)
                return given.isEqualInConstantTime(to: Secret(expected.utf8))
            }
            return found != nil
        }
        guard isRight, let found else { return .refused }
        return .accepted(found)
    }

    private func isCurrent(_ record: OfflineRecord) -> Bool {
        guard let seed = record.seed, let password = record.password else { return true }
        return ProximityPassword.isRight(password, seed, at: configuration.now)
    }
}
