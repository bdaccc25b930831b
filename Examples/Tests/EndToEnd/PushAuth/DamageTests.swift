import Foundation
import PushCore
import PushForgeRockSimulator
import PushTesting
import Testing

@testable import push_lab

@Suite(.timeLimit(.minutes(3))) struct `pushauth with a damaged store` {
    @Test(arguments: [["list"], ["refresh"], ["pending"], ["pending", "--offline"]])
    func `says what is damaged and what to do, and shows what is whole`(
        command: [String]
    ) async throws {
        let simulator = ForgeRockSimulator()
        try await PushAuthSite.run(with: simulator) { site in
            try await site.enroll(with: simulator, as: "bob")
            let jane = try await site.damaging {
                try await site.enroll(with: simulator, as: "jane")["id"]?.string ?? ""
            }
            for json in [[], ["--json"]] {
                let result = try await site.pushauth(command + json)
                #expect(result.exitCode == 5, "\(result.output)\(result.errors)")
                #expect(result.errors.contains("enrollment \(jane) (forgerock) is damaged"))
                #expect(result.errors.contains("`pushauth remove \(jane)`"))
                #expect(result.errors.contains("`pushauth doctor`"))
                #expect(result.output.contains("bob") == (command[0] != "pending"))
                #expect(!result.output.contains(jane))
            }
        }
    }

    @Test func `says so of the only enrollment, too`() async throws {
        let simulator = ForgeRockSimulator()
        try await PushAuthSite.run(with: simulator) { site in
            // Else the token's file would be new, as well.
            _ = try await site.pushauth("token", "set", "--fcm", "lab-token")
            let id = try await site.damaging {
                try await site.enroll(with: simulator, as: "jane")["id"]?.string ?? ""
            }
            let list = try await site.pushauth("list")
            #expect(list.exitCode == 5 && list.output.isEmpty)
            #expect(list.errors.contains("No enrollment can be read."))
            #expect(!list.errors.contains("pushauth enroll"))
            let doctor = try await site.pushauth("doctor", "--offline", "--json").lines
            let check = try #require(
                doctor.first { $0["check"] == "damaged" && $0["status"] == "problem" })
            #expect(check["text"]?.string?.contains(id) == true)
            #expect(check["next"]?.string?.contains("pushauth remove \(id)") == true)
        }
    }

    @Test func `a lookup of what is damaged is the store's failure, and remove frees the name`()
        async throws
    {
        let simulator = ForgeRockSimulator()
        try await PushAuthSite.run(with: simulator) { site in
            _ = try await site.pushauth("token", "set", "--fcm", "lab-token")
            var challenge = ""
            let id = try await site.damaging {
                try await site.enroll(with: simulator, as: "jane")["id"]?.string ?? ""
            } after: {
                _ = try await simulator.startLogin(of: "jane", asking: .confirm)
                _ = try await site.deliver(from: simulator)
                challenge = try await site.waiting()
            }
            for command in [
                ["show", id], ["code", id], ["refresh", id], ["show", challenge],
                ["show", "--closed", challenge], ["approve", challenge], ["deny", challenge],
            ] {
                let result = try await site.pushauth(command)
                #expect(result.exitCode == 5, "\(command) \(result.errors)")
                #expect(result.errors.contains("`pushauth remove \(id)`"), "\(command)")
            }
            let unasked = try await site.pushauth("remove", id)
            #expect(unasked.exitCode == 6 && unasked.errors.contains("is damaged"))
            let removed = try await site.pushauth("remove", id, "--yes")
            #expect(removed.exitCode == 0, "\(removed.errors)")
            #expect(removed.errors.contains("Removed here. AM isn't told"))
            let list = try await site.pushauth("list")
            #expect(list.exitCode == 0 && !list.errors.contains("damaged"))
            #expect(try await site.pushauth("pending", "--offline").exitCode == 0)
            try await site.enroll(with: simulator, as: "jane")
        }
    }

    @Test(arguments: ["xignin", "powerauth"])
    func `remove frees the name of a vendor that couldn't be told`(name: String) async throws {
        try await PushAuthSite.run(atVendor: name) { site, vendor in
            _ = try await site.pushauth("token", "set", "--fcm", "lab-token")
            let id = try await site.damaging { try await site.join(vendor) }
            let removed = try await site.pushauth("remove", id, "--yes")
            #expect(removed.exitCode == 0, "\(removed.errors)")
            let list = try await site.pushauth("list")
            #expect(list.exitCode == 0 && list.output.isEmpty)
        }
    }

    @Test func `a challenge is lost with its enrollment, and stops no other`() async throws {
        let simulator = ForgeRockSimulator()
        try await PushAuthSite.run(with: simulator) { site in
            try await site.enroll(with: simulator, as: "bob")
            let known = try await site.pushauth("list", "--json").json["id"]
            var challenges: [JSON] = []
            let jane = try await site.damaging {
                try await site.enroll(with: simulator, as: "jane")["id"]?.string ?? ""
            } after: {
                for user in ["jane", "bob"] {
                    _ = try await simulator.startLogin(of: user, asking: .confirm)
                }
                _ = try await site.deliver(from: simulator)
                challenges = try await site.pushauth("pending", "--offline", "--json").lines
            }
            let lost = try #require(challenges.first { $0["enrollment"]?.string == jane })
            let left = try #require(challenges.first { $0["enrollment"] == known })
            let pending = try await site.pushauth("pending", "--offline", "--json")
            #expect(pending.exitCode == 5)
            #expect(try pending.lines.map { $0["id"] } == [left["id"]])
            #expect(pending.errors.contains("enrollment \(jane) (forgerock) is damaged"))
            let approve = try await site.pushauth("approve", lost["id"]?.string ?? "", "--yes")
            #expect(approve.exitCode == 5 && approve.errors.contains("damaged"))
            let other = try await site.pushauth("approve", left["id"]?.string ?? "", "--yes")
            #expect(other.exitCode == 0, "\(other.errors)")
        }
    }

    @Test func `a damaged device token is told, and stops no enrollment`() async throws {
        let simulator = ForgeRockSimulator()
        try await PushAuthSite.run(with: simulator) { site in
            _ = try await site.damaging {
                try await site.pushauth("token", "set", "--fcm", "lab-token")
            } after: {
                try await site.enroll(with: simulator, as: "jane")
            }
            let list = try await site.pushauth("list")
            #expect(list.exitCode == 5 && list.output.contains("jane"))
            #expect(list.errors.contains("The newest device token is damaged."))
        }
    }
}

extension PushAuthSite {
    /// Damages the records that something makes, as a disk may: bytes in their middle are others.
    ///
    /// - Parameters:
    ///   - making: Makes them.
    ///   - using: Uses them before they are damaged.
    /// - Returns: What `making` returned.
    /// - Throws: What the two throw, or what the files are damaged by.
    fileprivate func damaging<Value>(
        _ making: () async throws -> Value, after using: () async throws -> Void = {}
    ) async throws -> Value {
        let before = try records
        let value = try await making()
        let made = try records.subtracting(before)
        try #require(!made.isEmpty)
        try await using()
        for path in made {
            let file = try FileHandle(forWritingTo: store.appendingPathComponent(path))
            let size = try file.seekToEnd()
            try file.seek(toOffset: size / 2 - 10)
            try file.write(contentsOf: Data(repeating: 0x2A, count: 20))
            try file.close()
        }
        return value
    }

    /// The files of the store's records.
    private var records: Set<String> {
        get throws {
            guard FileManager.default.fileExists(atPath: store.path) else { return [] }
            return Set(
                try FileManager.default.subpathsOfDirectory(atPath: store.path).filter {
                    $0.hasPrefix("c.") && $0.contains("/r.")
                })
        }
    }
}
