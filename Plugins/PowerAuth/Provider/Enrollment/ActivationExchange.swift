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

    let order: ActivationOrder

    /// The activation OTP, if the user was asked for one.
    let otp: Secret?

    let device: Device

    /// The device's key pair for this activation.
    let deviceKey: P256.KeyAgreement.PrivateKey

    /// Its other half.
    let publicKey: CurvePoint

    init(
        _ order: ActivationOrder, otp: Secret?, from environment: PushEnvironment
    ) throws(PushError) {
        self.order = order
        self.otp = otp
        device = environment.device
        deviceKey = try Self.key(from: environment.random)
        publicKey = CurvePoint(deviceKey.publicKey)
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
            "devicePublicKey": .string(Base64.encode(publicKey.compressed)),
            "activationName": .string(order.name ?? device.name), "platform": .string(platform),
            // The vendor's apps name the model, which nothing here knows.
            "deviceInfo": .string(device.platform.rawValue),
        ]
        members["activationOtp"] = otp.map { otp in
            .string(otp.copiedText())
        }
        members["extras"] = order.extras.map { .string($0) }
        return Secret(JSON.object(members).utf8)
    }

    /// What the enrollment server reads.
    ///
    /// - Parameter inner: The inner envelope.
    /// - Returns: The body before it is sealed.
    func outer(_ inner: JSON) -> Secret {
        var request: JSON.Object = [
            "type": .string(order.kind.rawValue), "identityAttributes": .object(order.identity),
        ]
        request["customAttributes"] = order.customAttributes.map { .object($0) }
        request["activationData"] = inner
        return Secret(JSON.object(request).utf8)
    }

    private var platform: String {
        switch device.platform {
        case .apple: "ios"
        case .android: "android"
        case .other: "unknown"
        }
    }
}

/// What a server made of a request to activate.
struct ActivationReply: Sendable {
    /// The activation's name, in the server's case, which counts.
    let activationID: String

    /// The server's key for this activation.
    let serverKey: CurvePoint

    /// The counter's first value, 16 bytes.
    let counter: Secret

    /// What the enrollment server says beside it.
    let words: ActivationWords

    /// Opens both envelopes of a reply.
    ///
    /// - Throws: `PushError` with the code `untrusted` if one can't be opened, `malformed` if what is
    ///   in it can't be used, such as a key that is no point of the curve.
    init(_ envelope: JSON, _ openers: Openers) throws(PushError) {
        let outer = try Self.json(openers.outer.open(envelope))
        guard let data = outer["activationData"] else {
            throw PushError(.malformed, "The reply has no activation data.")
        }
        let reply = try Self.json(openers.inner.open(data))
        guard let activationID = reply["activationId"]?.string, activationID.isPlainName,
            let key = reply["serverPublicKey"]?.string, let counter = reply["ctrData"]?.string
        else { throw PushError(.malformed, "The reply has no activation that can be used.") }
        self.activationID = activationID
        serverKey = try CurvePoint(StrictBase64.decode(key))
        self.counter = try StrictBase64.secret(counter, count: 16)
        words = ActivationWords(
            customAttributes: outer["customAttributes"]?.object,
            userInfo: outer["userInfo"]?.object.map { PowerAuthUserInfo(claims: $0) })
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

/// What the enrollment server says beside a new activation. It isn't kept: the app gets it once.
struct ActivationWords: Sendable {
    let customAttributes: JSON.Object?
    let userInfo: PowerAuthUserInfo?
}

/// What was said beside activations that an app is just being told of, in memory alone.
actor ActivationWordKeeper {
    private static let most = 16
    private var words: [(id: Enrollment.ID, words: ActivationWords)] = []

    func keep(_ said: ActivationWords, for id: Enrollment.ID) {
        words.append((id, said))
        if words.count > Self.most { words.removeFirst() }
    }

    func take(for id: Enrollment.ID) -> ActivationWords? {
        words.firstIndex { $0.id == id }.map { words.remove(at: $0).words }
    }
}

extension String {
    /// Whether it's a name that can stand in a header, between quotes.
    var isPlainName: Bool {
        (1...128).contains(utf8.count)
            && utf8.allSatisfy { 0x21...0x7E ~= $0 && $0 != 0x22 && $0 != 0x5C && $0 != 0x2C }
    }
}
