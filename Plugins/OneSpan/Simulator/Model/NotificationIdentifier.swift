import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// This project's reference form of a notification identifier; OneSpan's own isn't published.
///
/// Hexadecimal digits of `ONI1`, platform (1 APNs, 2 FCM), environment (0 production, 1
/// development), the token's length in two bytes, and the token.
enum NotificationIdentifier {
    static func deviceToken(in identifier: String) -> DeviceToken? {
        guard let bytes = [UInt8](hex: identifier), bytes.count > 8,
            bytes.starts(with: "ONI1".utf8),
            bytes.count - 8 == Int(UInt16(bytes[6..<8])), bytes[5] <= 1
        else { return nil }
        let token = bytes[8...]
        switch bytes[4] {
        case 1: return .apns(hex: token.hex.lowercased(), isSandbox: bytes[5] == 1)
        case 2: return .fcm(String(decoding: token, as: UTF8.self))
        default: return nil
        }
    }
}
