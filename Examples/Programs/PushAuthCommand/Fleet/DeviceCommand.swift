import ArgumentParser
import Foundation
import PushCore
import TerminalIO

struct DeviceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "device", abstract: "Make, list or remove the virtual devices of a fleet.",
        discussion: """
            Each is to its vendors what a phone is, with enrollments and device tokens of its own. \
            Commands that are about one take its name by --device.
            """,
        subcommands: [Add.self, List.self, Remove.self])

    struct Add: LinkingCommand {
        static let configuration = CommandConfiguration(
            commandName: "add", abstract: "Make devices.",
            discussion: """
                Vendors hear of a token of FCM and of one of APNs, and push by the service that they \
                take; of those that take both, some prefer APNs. A fleet that has one of the intakes \
                alone says so by --service.
                """)

        @Argument(help: "Their names.") var names: [String]

        @Option(help: "Tell vendors the token of this service alone.")
        var service: FleetDevice.Service?

        @OptionGroup var options: GlobalOptions

        func run() async throws {
            try await reporting {
                for name in names { try FleetDevice.check(name) }
                let ground = try await Ground(options)
                guard let fleet = ground.fleet else { throw Fleet.noFleet }
                let tokens = try await fleet.setup().tokens
                for name in names {
                    let random = SystemRandom()
                    let id = FleetDevice.ID(random: random)
                    let device = FleetDevice(
                        id: id, name: name, created: Date(),
                        fcmToken: tokens.fcmToken(of: id, random: random),
                        services: service.map { [$0] } ?? Set(FleetDevice.Service.allCases))
                    // First, so that no device is found whose vendors hear of no token.
                    _ = try await Session(
                        on: ground, of: device, verifier: CommandUser(VerificationOptions())
                    ).authenticator.tellOnly(told(of: device, tokens))
                    try await fleet.add(device)
                    options.reporter.show(DeviceReport(device: device, tokens: tokens))
                }
                return .done
            }
        }

        private func told(of device: FleetDevice, _ tokens: FleetTokens) -> [DeviceToken] {
            FleetDevice.Service.allCases.filter(device.services.contains).map { service in
                switch service {
                case .fcm: .fcm(device.fcmToken)
                case .apns: .apns(hex: tokens.apnsToken(of: device.id), isSandbox: false)
                }
            }
        }
    }

    struct List: LinkingCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List the devices.")

        @OptionGroup var options: GlobalOptions

        func run() async throws {
            try await reporting {
                let ground = try await Ground(options)
                guard let fleet = ground.fleet else { throw Fleet.noFleet }
                let tokens = try await fleet.setup().tokens
                let count = try await fleet.forEachPage { devices in
                    for device in devices {
                        options.reporter.show(DeviceReport(device: device, tokens: tokens))
                    }
                }
                if !options.json { options.reporter.tell(FleetListing.devices(count) + ".") }
                return .done
            }
        }
    }

    struct Remove: LinkingCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove", abstract: "Remove a device: its tokens are unregistered then.",
            discussion: """
                A device that has enrollments stays, unless --forget leaves them at their vendors: \
                `pushauth remove --device NAME` ends one there, too.
                """)

        @Argument(help: "Its name.") var name: String

        @Flag(help: "Forget its enrollments here; their vendors aren't told.") var forget = false

        @OptionGroup var options: GlobalOptions

        func run() async throws {
            try await reporting {
                let ground = try await Ground(options)
                guard let fleet = ground.fleet else { throw Fleet.noFleet }
                let device = try await fleet.device(named: name)
                let session = try Session(
                    on: ground, of: device, verifier: CommandUser(VerificationOptions()))
                let ids = try await session.authenticator.enrollmentIDs()
                guard forget || ids.isEmpty else {
                    throw Failure(
                        .failed,
                        "The device '\(name)' has \(FleetListing.enrollments(ids.count)).",
                        advice: "`pushauth remove --device \(name) ID` ends each; --forget leaves "
                            + "them at their vendors.")
                }
                for id in ids { try await session.authenticator.remove(id, from: .device) }
                try await fleet.remove(device)
                return session.ending(.done)
            }
        }
    }
}

/// A device as a line, or as JSON.
struct DeviceReport: Report {
    let device: FleetDevice
    let tokens: FleetTokens

    var json: JSON {
        [
            "device": .string(device.name), "id": .string(device.id.hex),
            "created": .string(timestamp(device.created)), "fcm": .string(device.fcmToken),
            "apns": .string(tokens.apnsToken(of: device.id)),
        ]
    }

    func text(for terminal: Terminal) -> String {
        "\(device.name)  \(terminal.colored(timestamp(device.created), .gray))"
    }
}
