public import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A push token in the server's database.
struct PushToken {
    /// What an enrolled token has.
    struct Keys {
        let device: StoredKey
        let server: PrivacyIDEASimulator.ServerKey
    }

    let serial: String
    let user: String
    let number: Int

    /// The credential of the code that waits for a device; `nil` once it is spent.
    var credential: Secret?

    var keys: Keys?

    /// The device token's text; `no_firebase_token` for none.
    var deviceToken = PushToken.noDeviceToken

    var isEnabled = true
    var isLocked = false
    var mayPoll = false

    /// Oldest first.
    var challenges: [PushChallenge] = []

    /// The word that stands for no device token.
    static let noDeviceToken = "no_firebase_token"
}

extension PrivacyIDEASimulator {
    /// A token as an administrator sees it, without its keys.
    public struct RegisteredToken: Hashable, Sendable {
        /// The token's name.
        public let serial: String

        /// Where pushes go; `nil` if the device has told none.
        public let deviceToken: DeviceToken?

        /// Whether a device has enrolled it.
        public let isEnrolled: Bool

        /// Whether the server can verify what the device signs.
        public let isUsable: Bool
    }

    /// A user's tokens, oldest first.
    public func tokens(of user: String) -> [RegisteredToken] {
        tokens.values.filter { $0.user == user }.sorted { $0.number < $1.number }.map { token in
            var isUsable = false
            if case .usable? = token.keys?.device { isUsable = true }
            return RegisteredToken(
                serial: token.serial, deviceToken: Self.deviceToken(token.deviceToken),
                isEnrolled: token.keys != nil, isUsable: isUsable)
        }
    }

    /// A text as a device token: Apple's are hexadecimal digits, which no token of Firebase is.
    static func deviceToken(_ text: String) -> DeviceToken? {
        guard text != PushToken.noDeviceToken, !text.isEmpty else { return nil }
        let isHexadecimal = text.utf8.count >= 64 && Hexadecimal.bytes(text.utf8) != nil
        return isHexadecimal ? .apns(hex: text, isSandbox: false) : .fcm(text)
    }

    /// Deletes a token, as an administrator would. Its device isn't told.
    public func removeToken(_ serial: String) {
        tokens[serial] = nil
    }

    /// Disables or enables a token. A disabled one is polled and answered as ever; only the last step
    /// of a login finds out.
    public func setEnabled(_ isEnabled: Bool, token serial: String) {
        tokens[serial]?.isEnabled = isEnabled
    }

    /// Locks or unlocks a token. A locked one can't be enrolled.
    public func setLocked(_ isLocked: Bool, token serial: String) {
        tokens[serial]?.isLocked = isLocked
    }

    /// Lets a token poll where ``Configuration/polling`` is ``Polling/token``.
    public func allowPolling(of serial: String) {
        tokens[serial]?.mayPoll = true
    }

    /// Blocks or unblocks a user: a blocked one's answers are refused, and no login ends well.
    public func setBlocked(_ isBlocked: Bool, user: String) {
        if isBlocked { blockedUsers.insert(user) } else { blockedUsers.remove(user) }
    }
}
