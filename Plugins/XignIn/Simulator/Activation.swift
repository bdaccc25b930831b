import Crypto
public import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// One account bound to one device.
struct Activation {
    /// Where a platform's tokens lead.
    enum Platform: String { case apns, fcm, test }

    /// What a device sets up, all of it replaced if its request is repeated.
    struct Setup {
        let biometricKey: DeviceKey?
        let pinKey: SymmetricKey?
        let alias: String?
        let platform: Platform
        let token: String?
    }

    let id: String
    let user: String
    let key: DeviceKey
    var biometricKey: DeviceKey?
    /// The stretched PIN: password-equivalent here, which is fit for a reference alone.
    var pinKey: SymmetricKey?
    var alias: String?
    var platform: Platform
    var token: String?
    /// The `iat` of the request that set the token.
    var tokenTime: Int64
    /// Whether the device has made a request of its own.
    var hasSpoken = false
    var guesses = Guesses()

    init(id: String, user: String, key: DeviceKey, setup: Setup, time: Int64) {
        self.id = id
        self.user = user
        self.key = key
        platform = setup.platform
        tokenTime = time
        apply(setup, time: time)
    }

    mutating func apply(_ setup: Setup, time: Int64) {
        biometricKey = setup.biometricKey
        pinKey = setup.pinKey
        alias = setup.alias
        platform = setup.platform
        token = setup.token
        tokenTime = time
    }

    /// The factors it can supply.
    var authenticators: Set<XignInSimulator.Authenticator> {
        var factors: Set<XignInSimulator.Authenticator> = [.device]
        if pinKey != nil { factors.insert(.pin) }
        if biometricKey != nil { factors.insert(.biometric) }
        return factors
    }

    var deviceToken: DeviceToken? {
        switch platform {
        case .apns: token.map { .apns(hex: $0, isSandbox: false) }
        case .fcm, .test: token.map { .fcm($0) }
        }
    }

    var device: XignInSimulator.PersonalizedDevice {
        .init(id: id, deviceToken: deviceToken, alias: alias, authenticators: authenticators)
    }
}

extension XignInSimulator {
    /// An activation as the manager's administrator sees it, without its keys.
    public struct PersonalizedDevice: Hashable, Sendable, Identifiable {
        /// The activation's identifier, `activation_id`.
        public let id: String

        /// Where pushes go; `nil` if there is no token. The wire doesn't tell APNs' sandbox from
        /// production: never sandbox. The platform `test` counts as Firebase.
        public let deviceToken: DeviceToken?

        /// The device's name, as it gave it.
        public let alias: String?

        /// The factors it can supply.
        public let authenticators: Set<Authenticator>
    }
}
