import LocalServer
import PushCore
import PushForgeRock
import PushForgeRockSimulator
import PushTesting
import PushXignIn
import PushXignInReference
import PushXignInSimulator

/// Two push services on one phone: an authenticator with an account at ForgeRock, which pushes by
/// APNs, and one at XignIn, which pushes by Firebase.
struct ServicesLab: VendorLab {
    static let vendor = "services"

    let name = Self.vendor
    private let site: LabSite
    private let am: Station<ForgeRockSimulator>
    private let manager: Station<XignInSimulator>

    init(log: ExchangeLog) async throws {
        site = try LabSite(log: log)
        do {
            let phone = try await site.device("two", verifier: PINUser()) { environment in
                var xign = XignIn.Configuration(wireFormat: OpenReferenceWireFormat())
                xign.allowsLocalHosts = true
                // A demo shouldn't wait for the stretching of its PINs.
                xign.pinIterations = 10_000
                return [
                    ForgeRock(configuration: .init(allowsLocalHosts: true), in: environment),
                    XignIn(configuration: xign, in: environment),
                ]
            }
            am = try await Station(
                ForgeRockSimulator(.init(realm: "/alpha", issuer: "Example Bank")),
                speaking: .secure(site.identity), device: phone)
            manager = try await Station(
                XignInSimulator(.init(identifier: "idm-clinic")),
                speaking: .secure(site.identity), device: phone)
        } catch {
            site.remove()
            throw error
        }
    }

    func close() async {
        await am.close()
        await manager.close()
        site.remove()
    }

    // MARK: Flows

    var flows: [DemoFlow] {
        [
            DemoFlow(
                "two services on one phone",
                expecting: "ForgeRock has APNs's token, XignIn Firebase's"
            ) {
                try await rotate([.apns, .fcm], "1")
                _ = try await am.enroll("jane")
                _ = try await manager.enroll("jane")
                return await hold("1")
                    ? "ForgeRock has APNs's token, XignIn Firebase's" : "another token"
            },
            DemoFlow("APNs's token changes, then Firebase's", expecting: Self.fine) {
                try await rotate([.apns, .fcm], "2")
                return try await logins("2")
            },
            DemoFlow("Firebase's token changes, then APNs's", expecting: Self.fine) {
                try await rotate([.fcm, .apns], "3")
                return try await logins("3")
            },
        ]
    }

    private static let fine = "each has its own newest; ForgeRock: logged in; XignIn: logged in"

    // MARK: Steps

    /// The device's token of a service, as it was the nth time.
    private func token(_ service: PushCore.DeviceToken.Service, _ time: String) -> DeviceToken {
        service == .fcm
            ? .fcm("push-lab-\(time)")
            : .apns(hex: String(repeating: time, count: 64), isSandbox: false)
    }

    /// The device gets new tokens, one after the other.
    private func rotate(_ services: [PushCore.DeviceToken.Service], _ time: String) async throws {
        for service in services {
            let failures = try await am.authenticator.deviceTokenChanged(token(service, time))
            if let failure = failures.values.first { throw failure }
        }
    }

    /// Whether each simulator has its own service's token of that time, and no other.
    private func hold(_ time: String) async -> Bool {
        let atForgeRock = await am.simulator.devices(of: "jane").map(\.deviceToken)
        let atXignIn = await manager.simulator.devices(of: "jane").map(\.deviceToken)
        return atForgeRock == [token(.apns, time)] && atXignIn == [token(.fcm, time)]
    }

    private func logins(_ time: String) async throws -> String {
        let held = await hold(time) ? "each has its own newest" : "another token"
        let forgeRock = try await logIn(at: am, by: token(.apns, time))
        let xignIn = try await logIn(at: manager, by: token(.fcm, time))
        return "\(held); ForgeRock: \(forgeRock); XignIn: \(xignIn)"
    }

    /// Starts a login, takes the push that goes to a token, and approves.
    private func logIn(
        at station: Station<some VendorSimulator>, by token: DeviceToken
    ) async throws -> String {
        let login = try await station.simulator.startLogin(of: "jane", asking: .confirm)
        for push in await station.simulator.takePushes() where push.deviceToken == token {
            for reception in try await station.authenticator.receive(push.message()) {
                guard let id = reception.challenge else { continue }
                _ = try await station.authenticator.resolve(
                    station.authenticator.challenge(id), with: .approve)
            }
        }
        return try await station.status(of: login)
    }
}
