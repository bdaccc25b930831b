import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What the notifications of this installation carry, and nobody else's can: a random value that
/// goes to the notification center of this device, and nowhere else.
struct NotificationSeal: Hashable, Sendable {
    /// The key under which a notification's `userInfo` holds it.
    static let userInfoKey = "push-auth.seal"

    /// As it stands in a notification's `userInfo`.
    let text: String

    init(_ secret: Secret) {
        text = secret.withBytes { Data($0).base64EncodedString() }
    }

    /// What came back in a notification's `userInfo` for a seal.
    static func shown(in userInfo: [AnyHashable: Any]) -> Secret? {
        (userInfo[userInfoKey] as? String).map { Secret($0.utf8) }
    }

    /// Whether that is what came back, in constant time.
    func matches(_ shown: Secret) -> Bool {
        Secret(text.utf8).isEqualInConstantTime(to: shown)
    }
}

extension NotificationSeal: CustomStringConvertible, CustomReflectable {
    /// Always `<secret>`.
    var description: String { "<secret>" }

    var customMirror: Mirror { Mirror(self, children: []) }
}

extension PushAuthenticator {
    private static let sealKey = RecordKey("notification", "seal")
    private static let sealLength = 32

    /// The seal of this installation; `nil` if it has posted nothing yet, or its record is damaged.
    func knownSeal() async throws(PushError) -> NotificationSeal? {
        do throws(PushError) {
            guard let found = try await environment.store.read(Self.sealKey)?.value,
                found.count == Self.sealLength
            else { return nil }
            return NotificationSeal(found)
        } catch  where error.code == .malformed {
            return nil
        }
    }

    /// The seal of this installation, drawn the first time. One that is damaged is drawn again: what
    /// was posted under it opens its challenge, and denies it no more.
    func seal() async throws(PushError) -> NotificationSeal {
        if let known = try await knownSeal() { return known }
        return NotificationSeal(
            try await environment.store.secret(
                Self.sealKey, else: environment.random.bytes(Self.sealLength)))
    }
}
