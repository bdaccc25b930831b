import Foundation
import PushCore
import PushForgeRockSimulator
import Testing

@testable import push_lab

/// Three processes behind a real haproxy, set up as the guide says, and Google's own client as the sender.
@Suite(.serialized, .timeLimit(.minutes(5))) struct `a fleet whose processes are killed` {
    @Test(arguments: [("etcd", 1000, 32, 6), ("postgres", 40, 16, 3)])
    func `each push that a sender was told is accepted is answered once`(
        kind: String, devices: Int, users: Int, kills: Int
    ) async throws {
        let devices = (1...devices).map { "device-\($0)" }
        let users = Array(devices.shuffled().prefix(users))
        try await FleetFarm.run(on: kind, with: devices) { farm in
            try await farm.enroll(on: users)
            let trial = try FleetTrial(farm, of: users)
            do {
                try await trial.run(kills: kills)
            } catch {
                print(await trial.transcript)
                await trial.kill()
                throw error
            }
            print("\(kind), \(devices.count + 1) devices, \(users.count) enrolled")
            print(await trial.transcript)
        }
    }

    @Test func `each process takes the access tokens of all`() async throws {
        try await FleetFarm.run(on: "etcd") { farm in
            try await farm.enroll(on: ["one"])
            let device = try #require(await farm.simulator.devices(of: "one").first)
            guard case .fcm(let token) = device.deviceToken else {
                throw Browser.Failure("The vendor has another token.")
            }
            let processes = try (0..<3).map { try farm.process($0) }
            for index in processes.indices {
                try await farm.wait("process \(index) is ready") {
                    try await farm.ready(index).status == 200
                }
            }
            let body: JSON = ["validate_only": true, "message": ["token": .string(token)]]
            let replies = try await PythonClient("access_tokens").run(
                [farm.account, farm.messages(), body.text]
                    + HAProxy.addresses.map { farm.ports.fcm(at: $0) },
                "", environment: ["REQUESTS_CA_BUNDLE": farm.authority])
            for process in processes { await process.kill() }
            #expect(replies.count == 9 && replies.allSatisfy { $0["status"] == 200 }, "\(replies)")
        }
    }
}
