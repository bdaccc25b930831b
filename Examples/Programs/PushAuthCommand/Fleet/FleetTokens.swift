import Crypto
import Foundation
import LocalServer
import PushCore

/// Device tokens that say which device of a fleet they are of, so that every process knows by the token
/// alone where a push goes.
///
/// One of FCM is the project's mark, a colon, and 128 characters of base64url: version 1, the device's
/// identifier, 47 random bytes, and HMAC-SHA256 of these under a key of the fleet. One of APNs, which has
/// 32 bytes, is the identifier and the first half of such a code.
struct FleetTokens: Sendable {
    private static let version: UInt8 = 1
    private static let randomCount = 47
    private static let codeCount = 16

    private let project: String
    private let fcmKey: SymmetricKey
    private let apnsKey: SymmetricKey

    init(key: Secret, project: String) {
        self.project = project
        fcmKey = Self.derived("fcm tokens", from: key)
        apnsKey = Self.derived("apns tokens", from: key)
    }

    /// A key for one use.
    static func derived(_ use: String, from key: Secret) -> SymmetricKey {
        HKDF<SHA256>.deriveKey(
            inputKeyMaterial: key.withBytes { SymmetricKey(data: $0) },
            info: Data("pushauth fleet 1 \(use)".utf8), outputByteCount: 32)
    }

    func fcmToken(of id: FleetDevice.ID, random: any RandomSource) -> String {
        var bytes = Data([Self.version]) + id.bytes
        bytes += random.bytes(Self.randomCount).withBytes { Data($0) }
        bytes += HMAC<SHA256>.authenticationCode(for: bytes, using: fcmKey)
        return FCMToken.joined(bytes, for: project)
    }

    func apnsToken(of id: FleetDevice.ID) -> String {
        (id.bytes + code(of: id)).hexadecimal
    }

    /// The device of a token of FCM; `nil` if this fleet made no such token.
    func device(fcm token: String) -> FleetDevice.ID? {
        guard FCMToken.isToken(token, of: project) == true,
            let text = token.parts(at: ":").last, let bytes = Data(base64URL: text),
            bytes.count == 1 + FleetDevice.ID.size + Self.randomCount + SHA256.byteCount,
            bytes.first == Self.version,
            HMAC<SHA256>.isValidAuthenticationCode(
                bytes.suffix(SHA256.byteCount), authenticating: bytes.dropLast(SHA256.byteCount),
                using: fcmKey)
        else { return nil }
        return FleetDevice.ID(bytes.dropFirst().prefix(FleetDevice.ID.size))
    }

    /// The device of a token of APNs; `nil` if this fleet made no such token.
    func device(apns hex: String) -> FleetDevice.ID? {
        guard hex.utf8.count == 64, let id = FleetDevice.ID(hex: String(hex.prefix(32))),
            let code = FleetDevice.ID(hex: String(hex.suffix(32)))?.bytes,
            Secret(code).isEqualInConstantTime(to: Secret(self.code(of: id)))
        else { return nil }
        return id
    }

    private func code(of id: FleetDevice.ID) -> Data {
        Data(HMAC<SHA256>.authenticationCode(for: id.bytes, using: apnsKey))
            .prefix(Self.codeCount)
    }
}
