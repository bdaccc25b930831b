import Foundation
import PushCore

/// A virtual device of a fleet: what one phone is to its vendors.
struct FleetDevice: Hashable, Sendable {
    let id: ID
    let name: String
    let created: Date

    /// The device token of FCM. That of APNs follows from the identifier.
    let fcmToken: String

    /// Of which services its vendors hear of a token.
    var services: Set<Service> = Set(Service.allCases)

    /// A push service, as it is typed; the intake that takes its pushes is called so.
    enum Service: String, CaseIterable { case fcm, apns }

    /// 16 random bytes.
    struct ID: Hashable, Sendable {
        static let size = 16

        let bytes: Data

        init?(_ bytes: some Collection<UInt8>) {
            guard bytes.count == Self.size else { return nil }
            self.bytes = Data(bytes)
        }

        init?(hex: String) {
            guard let bytes = Data(hexadecimal: hex.utf8) else { return nil }
            self.init(bytes)
        }

        init(random: any RandomSource) {
            bytes = random.bytes(Self.size).withBytes { Data($0) }
        }

        var hex: String { bytes.hexadecimal }

        private static let scopes = "d/"

        /// Where the device's records are in the store.
        var scope: String { Self.scopes + hex }

        /// The device that a scope is of; `nil` if it is no device's.
        init?(scope: String) {
            guard scope.hasPrefix(Self.scopes) else { return nil }
            self.init(hex: String(scope.dropFirst(Self.scopes.count)))
        }
    }
}

extension FleetDevice.ID? {
    /// What pushes of one name for one device have in common while they wait.
    func collapsing(_ name: String) -> String { map { "\($0.hex) \(name)" } ?? name }
}

extension FleetDevice {
    /// Reads what ``record`` wrote.
    init(_ id: ID, reading record: Secret) throws(PushError) {
        let fields = try Secret.Record(reading: record).fields
        guard let name = fields["name"]?.string, let token = fields["fcm"]?.string,
            let created = fields["created"]?.double,
            let services = fields["services"]?.array?.compactMap({ $0.string.flatMap(Service.init) }
            )
        else { throw PushError(.malformed, "The record of a device of the fleet is damaged.") }
        self.init(
            id: id, name: name, created: Date(timeIntervalSince1970: created), fcmToken: token,
            services: Set(services))
    }

    var record: Secret {
        Secret.Record(fields: [
            "name": .string(name), "fcm": .string(fcmToken),
            "created": .number(.init(Int64(created.timeIntervalSince1970))),
            "services": .array(services.map(\.rawValue).sorted().map(JSON.string)),
        ]).sealed
    }
}
