import Crypto
public import PushCore

extension PowerAuthSimulator {
    /// An activation as a back office sees it at one moment.
    public struct ActivationRecord: Hashable, Sendable, Identifiable {
        /// Its identifier, a UUID in lower case.
        public let id: String

        /// Whose it is.
        public let user: String

        /// The activation code.
        public let code: String

        /// The text of its QR code: the code and its signature.
        public let text: String

        /// Its state.
        public let state: ActivationState

        /// Why it is blocked; `nil` if it isn't.
        public let blockedReason: String?

        /// How many signatures were wrong since the last right one that counts; before the commit,
        /// how many one-time passwords.
        public let failedAttempts: Int

        /// How many values of the counter are used up; `nil` without a device.
        public let counter: UInt64?

        /// The 8 digits that the device shows, too; `nil` without a device.
        public let fingerprint: String?

        /// The device's name for itself.
        public let deviceName: String?

        /// The device's platform, such as `ios`.
        public let platform: String?

        /// The device's model.
        public let deviceInfo: String?

        /// What the device sent for the server's own use.
        public let extras: String?

        /// Its flags.
        public let flags: Set<String>

        /// Where its pushes go; `nil` if it hasn't registered.
        public let deviceToken: DeviceToken?

        /// The platform's name that it registered with.
        public let registeredPlatform: String?

        /// The identifiers of its tokens, in no order.
        public let tokens: Set<String>

        init(_ activation: Activation, tokens: [String]) {
            id = activation.id
            user = activation.user
            code = activation.code
            text = activation.text
            state = activation.state
            blockedReason = activation.blockedReason
            failedAttempts = activation.failedAttempts
            counter = activation.device?.number
            fingerprint = activation.device.map { device in
                ActivationKeys.fingerprint(
                    device: device.publicKey, activation: activation.id,
                    server: activation.serverKey.publicKey)
            }
            deviceName = activation.device?.name
            platform = activation.device?.platform
            deviceInfo = activation.device?.info
            extras = activation.device?.extras
            flags = activation.flags
            deviceToken = activation.registration?.token
            registeredPlatform = activation.registration?.platform
            self.tokens = Set(tokens)
        }
    }

    /// The states of an activation, with their numbers in the status blob.
    public enum ActivationState: UInt8, Hashable, Sendable {
        /// A code was made, nobody has used it.
        case created = 1
        /// A device exchanged keys; the back office hasn't confirmed it yet.
        case pendingCommit
        /// The device can sign.
        case active
        /// Too many wrong signatures, or the back office's wish.
        case blocked
        /// For good.
        case removed
    }

    /// How a back office creates an activation.
    public struct ActivationOptions: Hashable, Sendable {
        /// The one-time password of the activation; `nil` for none.
        public var password: OneTimePassword?

        /// When the activation becomes active.
        public var commitPhase = CommitPhase.onCommit

        /// The flags it has, such as `VERIFICATION_PENDING`.
        public var flags: Set<String> = []

        /// The key of its application; the first application's if `nil`.
        public var applicationKey: String?

        /// Creates the usual options: no password, and the back office commits.
        public init() {}
    }

    /// When an activation becomes active.
    public enum CommitPhase: Hashable, Sendable {
        /// When the back office says so.
        case onCommit
        /// As soon as keys are exchanged.
        case onKeyExchange
    }

    /// The one-time password of an activation, and who has to know it.
    public enum OneTimePassword: Hashable, Sendable {
        /// The device sends it with its key; if it's right, the activation is active at once.
        case onKeyExchange(String)
        /// The person who commits has to know it. A device that sends it is refused.
        case onCommit(String)
    }
}
