public import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A user of the realm.
struct User {
    /// Keycloak's identifier, `sub`.
    let id: String
    let name: String
    var isLockedOut = false

    /// The push credentials, the oldest first.
    var devices: [Device] = []
}

/// A push credential: one enrollment of a device.
struct Device {
    let credentialID: String
    let deviceID: String
    let type: String
    let label: String
    var providerType: String
    var providerID: String
    var key: DeviceKey

    /// Where its pushes go, by the provider's name: `fcm` is the extension's own. What `apns`
    /// stands for here, an operator's own sender, is UNCONFIRMED.
    var deviceToken: DeviceToken? {
        switch providerType {
        case "fcm": .fcm(providerID)
        case "apns": .apns(hex: providerID, isSandbox: false)
        default: nil
        }
    }
}

extension KeycloakSimulator {
    /// A push credential as the account console shows it.
    public struct RegisteredDevice: Hashable, Sendable {
        /// The credential's name, which the device chose (`credentialId`).
        public let credentialID: String

        /// The device's name, which the device chose (`deviceId`).
        public let deviceID: String

        /// Its label.
        public let label: String

        /// Its kind, such as `ios`.
        public let type: String

        /// Who pushes to it: `fcm`, `log`, `none`, or an operator's own.
        public let providerType: String

        /// Where its pushes go; `nil` if it gets none.
        public let deviceToken: DeviceToken?

        /// The thumbprint of its key (RFC 7638).
        public let thumbprint: String
    }

    /// A user's push credentials, the oldest first.
    public func devices(of user: String) -> [RegisteredDevice] {
        (self.user(named: user)?.devices ?? []).map { device in
            RegisteredDevice(
                credentialID: device.credentialID, deviceID: device.deviceID,
                label: device.label, type: device.type, providerType: device.providerType,
                deviceToken: device.deviceToken,
                thumbprint: device.key.thumbprint)
        }
    }

    /// Keycloak's identifier of a user, `sub`; `nil` for one whom nobody invited.
    public func identifier(of user: String) -> String? { self.user(named: user)?.id }

    /// Removes a push credential, as its user can in the account console. Its device isn't told, and
    /// its open challenges stay.
    public func removeDevice(_ credentialID: String) {
        for id in users.keys { users[id]?.devices.removeAll { $0.credentialID == credentialID } }
    }

    /// Whether a device's panic button disabled a user's account.
    public func isLockedOut(_ user: String) -> Bool { self.user(named: user)?.isLockedOut ?? false }

    /// Enables a user's account again, as an administrator can.
    public func unlock(_ user: String) {
        if let id = self.user(named: user)?.id { users[id]?.isLockedOut = false }
    }

    func user(named name: String) -> User? { users.values.first { $0.name == name } }

    /// Changes the credential of the device that called.
    func update(_ caller: Caller, _ change: (inout Device) -> Void) {
        let index = users[caller.user.id]?.devices.firstIndex {
            $0.credentialID == caller.device.credentialID && $0.deviceID == caller.device.deviceID
        }
        guard let index, var device = users[caller.user.id]?.devices[index] else { return }
        change(&device)
        users[caller.user.id]?.devices[index] = device
    }
}
