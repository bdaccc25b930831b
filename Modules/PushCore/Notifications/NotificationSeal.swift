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

    static let length = 32

    /// As it stands in a notification's `userInfo`.
    let text: String

    /// `nil` if it isn't a seal's length.
    init?(_ secret: Secret) {
        guard secret.count == Self.length else { return nil }
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
    static let sealKey = RecordKey("notification", "seal")

    /// The seal of this installation; `nil` if it has posted nothing yet, or its record is damaged.
    func knownSeal() async throws(PushError) -> NotificationSeal? {
        do throws(PushError) {
            return try await core.environment.store.read(Self.sealKey).flatMap {
                NotificationSeal($0.value)
            }
        } catch  where error.code == .malformed {
            return nil
        }
    }

    /// The seal of this installation, drawn the first time. One that is damaged is drawn again: what
    /// was posted under it opens its challenge, and denies it no more.
    func seal() async throws(PushError) -> NotificationSeal {
        do throws(PushError) {
            return try await drawnSeal()
        } catch  where error.code == .malformed {
            try await core.environment.store.discardDamaged(Self.sealKey)
            return try await drawnSeal()
        }
    }

    private func drawnSeal() async throws(PushError) -> NotificationSeal {
        let random = core.environment.random
        return try await core.environment.store.change(Self.sealKey) { (found) throws(PushError) in
            if let seal = found.flatMap(NotificationSeal.init) { return (.keep, seal) }
            let drawn = random.bytes(NotificationSeal.length)
            guard let seal = NotificationSeal(drawn) else {
                throw PushError(.storage, "A seal of another length was drawn.")
            }
            return (.replace(drawn), seal)
        }
    }
}
