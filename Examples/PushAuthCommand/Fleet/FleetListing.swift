import PushCore
import TerminalIO

/// A listing that goes through all devices of a fleet.
struct FleetListing {
    let ground: Ground
    let reporter: Reporter

    /// - Parameters:
    ///   - things: How so many are called.
    ///   - body: Lists a device, and returns how many it has shown.
    /// - Returns: How the command ends: what is damaged in one device keeps no other from being listed.
    /// - Throws: `Failure` if there is no fleet, or what `body` throws.
    func run(
        of things: (Int) -> String,
        _ body: (Session, Reporter) async throws -> (shown: Int, status: ExitStatus)
    ) async throws -> ExitStatus {
        guard let fleet = ground.fleet else { throw Fleet.noFleet }
        var worst = ExitStatus.done
        var count = 0
        let devices = try await fleet.forEachPage { devices in
            for device in devices {
                try Task.checkCancellation()
                let session = try Session(
                    on: ground, of: device, verifier: CommandUser(VerificationOptions()))
                let (shown, status) = try await body(
                    session,
                    Reporter(isJSON: reporter.isJSON, device: device.name, showsDevice: true))
                count += shown
                let end = session.ending(status)
                if end != .done { worst = end }
            }
        }
        if !reporter.isJSON {
            reporter.tell("\(Self.devices(devices)), \(things(count)).")
        }
        return worst
    }

    static func devices(_ count: Int) -> String { "\(count) device\(count == 1 ? "" : "s")" }

    static func enrollments(_ count: Int) -> String {
        "\(count) enrollment\(count == 1 ? "" : "s")"
    }

    static func waiting(_ count: Int) -> String {
        "\(count) wait\(count == 1 ? "s" : "") for an answer"
    }
}
