import Crypto
import PushCore
import PushJOSE

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What asks for an activation: one envelope that only the PowerAuth server opens, in one for the
/// enrollment server before it.
struct ActivationRequest: Sendable {
    private static let attempts = 8

    let code: ActivationCode

    /// The activation OTP, if the user was asked for one.
    let otp: Secret?

    let device: Device

    /// The device's key pair for this activation.
    let deviceKey: P256.KeyAgreement.PrivateKey

    init(
        _ code: ActivationCode, otp: Secret?, from environment: Environment
    ) throws(PushError) {
        self.code = code
        self.otp = otp
        device = environment.device
        deviceKey = try Self.key(from: environment.random)
    }

    /// A private key of random bytes; one number in 2³² isn't a key.
    private static func key(
        from random: any RandomSource
    ) throws(PushError) -> P256.KeyAgreement.PrivateKey {
        for _ in 0..<attempts {
            let key = random.bytes(32).withBytes { bytes in
                try? P256.KeyAgreement.PrivateKey(rawRepresentation: bytes)
            }
            if let key { return key }
        }
        throw PushError(.invalidArgument, "The random source yields no private key.")
    }

    /// The device's private key, 32 bytes.
    var privateKey: Secret { Secret(deviceKey.rawRepresentation) }

    /// What the PowerAuth server reads. Servers refuse members they don't know.
    var inner: Secret {
        var members: JSON.Object = [
            "devicePublicKey": .string(Base64.encode(deviceKey.publicKey.compressedRepresentation)),
            "activationName": .string(device.name), "platform": .string(platform),
            // The vendor's apps name the model, which nothing here knows.
            "deviceInfo": .string(device.platform.rawValue),
        ]
        members["activationOtp"] = otp.map { otp in
            .string(otp.copiedText())
        }
        return Secret(JSON.object(members).utf8)
    }

    /// What the enrollment server reads.
    ///
    /// - Parameter inner: The inner envelope.
    /// - Returns: The body before it is sealed.
    func outer(_ inner: JSON) -> Secret {
        let request: JSON = [
            "type": "CODE", "identityAttributes": ["code": .string(code.text)],
            "activationData": inner,
        ]
        return Secret(request.utf8)
    }

    private var platform: String {
        switch device.platform {
        case .apple: "ios"
        case .android: "android"
        case .other: "unknown"
        }
    }
}

/// What a server made of a code.
struct ActivationReply: Sendable {
    /// The activation's name, in the server's case, which counts.
    let activationID: String

    /// The server's key for this activation.
    let serverKey: CurvePoint

    /// The counter's first value, 16 bytes.
    let counter: Secret

    /// Opens both envelopes of a reply.
    ///
    /// - Throws: `PushError` with the code `untrusted` if one can't be opened, `malformed` if what is
    ///   in it can't be used, such as a key that is no point of the curve.
    init(_ envelope: JSON, _ openers: Openers) throws(PushError) {
        guard let data = try Self.json(openers.outer.open(envelope))["activationData"] else {
            throw PushError(.malformed, "The reply has no activation data.")
        }
        let reply = try Self.json(openers.inner.open(data))
        guard let activationID = reply["activationId"]?.string, activationID.isPlainName,
            let key = reply["serverPublicKey"]?.string, let counter = reply["ctrData"]?.string
        else { throw PushError(.malformed, "The reply has no activation that can be used.") }
        self.activationID = activationID
        serverKey = try CurvePoint(StrictBase64.decode(key))
        self.counter = try StrictBase64.secret(counter, count: 16)
    }

    /// What opens the two envelopes.
    struct Openers: Sendable {
        let outer: ResponseOpener
        let inner: ResponseOpener
    }

    private static func json(_ secret: Secret) throws(PushError) -> JSON {
        try secret.withBytes { (bytes) throws(PushError) in try JSON(parsing: bytes) }
    }
}

extension String {
    /// Whether it's a name that can stand in a header, between quotes.
    var isPlainName: Bool {
        (1...128).contains(utf8.count)
            && utf8.allSatisfy { 0x21...0x7E ~= $0 && $0 != 0x22 && $0 != 0x5C && $0 != 0x2C }
    }
}
