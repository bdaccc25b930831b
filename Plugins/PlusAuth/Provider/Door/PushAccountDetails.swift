public import PushCore
import PushJOSE

/// The `details` of a push account in PlusAuth's account model.
///
/// The documentation lists the names; the shape of `sim_card_identifiers` and the paths to upload
/// to are UNCONFIRMED, so nothing here sends it.
public struct PushAccountDetails: Sendable {
    /// A SIM card the account may be bound to.
    public struct SIMCardIdentifier: Hashable, Sendable {
        /// The slot, counted from 0.
        public let slot: Int

        /// A keyed hash of slot and card, hexadecimal; another one for each origin.
        public let id: String
    }

    /// `secret`: the key of the one-time codes.
    public let secret: Secret

    /// `hash_alg`: `sha1`, `sha256` or `sha512`.
    public let hashAlg: String

    /// `code_length`: how many digits a code has.
    public let codeLength: Int

    /// `ttl`: how long a code lasts, in seconds.
    public let ttl: Int

    /// `is_sim_bound`: whether the account is disabled when the SIM changes.
    public let isSIMBound: Bool

    /// `sim_card_identifiers`: the cards it is, or would be, bound to.
    public let simCardIdentifiers: [SIMCardIdentifier]

    /// `fcm_token`: the device token the account was enrolled with, if it is one of FCM.
    public let fcmToken: String?

    /// `device_identifier`: this device, as the account's origin knows it.
    public let deviceIdentifier: String

    /// The details under their documented names, the secret as Base32 text that nothing zeroes.
    public var json: JSON {
        var members: JSON.Object = [
            "hash_alg": .string(hashAlg), "code_length": .integer(codeLength),
            "ttl": .integer(ttl), "is_sim_bound": .bool(isSIMBound),
            "sim_card_identifiers": .array(
                simCardIdentifiers.map {
                    ["slot": .integer($0.slot), "id": .string($0.id)]
                }),
            "device_identifier": .string(deviceIdentifier),
            "secret": .string(secret.withBytes { Base32.encode($0) }.filter { $0 != "=" }),
        ]
        members["fcm_token"] = fcmToken.map(JSON.string)
        return .object(members)
    }
}

extension PushAccountDetails {
    init(_ credential: PlusAuthCredential, _ enrollment: Enrollment) throws(PushError) {
        let codes = try credential.codes
        secret = codes.secret
        hashAlg = codes.algorithm.lowercased()
        codeLength = codes.digits
        ttl = codes.period
        isSIMBound = credential.sim.isBound
        simCardIdentifiers = (credential.sim.baseline ?? []).map {
            SIMCardIdentifier(slot: $0.slot, id: $0.hash)
        }
        if case .fcm(let token) = enrollment.deviceToken {
            fcmToken = token
        } else {
            fcmToken = nil
        }
        deviceIdentifier = credential.deviceIdentifier
    }
}
