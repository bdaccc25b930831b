import Foundation
import PushCore
import Testing

@testable import push_lab

@Suite struct `push-lab soak` {
    private let program = Program("push-lab")

    @Test func `finds every promise kept after 30 kills and 200 rounds of two processes`()
        async throws
    {
        let result = try await program.run(["soak", "--kills", "30", "--rounds", "200", "--json"])
        #expect(result.exitCode == 0, "\(result.output)\(result.errors)")
        let report = try JSON(parsing: Data(result.output.utf8))
        #expect(report["violations"] == [])
        #expect(report["kills"]?["kills"] == 30)
        #expect(report["kills"]?["answers kept in part when killed"]?.integer ?? 0 > 0)
        #expect(report["kills"]?["of these, asked about after a kill"]?.integer ?? 0 > 0)
        #expect(report["pairs"]?["rounds"] == 200)
        #expect(report["kept"] == nil)
    }

    @Test(arguments: ["etcd", "postgres"])
    func `finds the same on a store that machines share`(kind: String) async throws {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        let keyFile = directory.url.appendingPathComponent("key")
        try Data(String(repeating: "5a", count: 32).utf8).write(to: keyFile)
        chmod(keyFile.path, 0o600)
        func soak(_ store: String) async throws {
            let result = try await program.run([
                "soak", "--kills", "6", "--rounds", "20", "--json", "--store", store, "--key-file",
                keyFile.path,
            ])
            #expect(result.exitCode == 0, "\(result.output)\(result.errors)")
            let report = try JSON(parsing: Data(result.output.utf8))
            #expect(report["violations"] == [] && report["kills"]?["kills"] == 6)
            #expect(report["pairs"]?["rounds"] == 20)
        }
        if kind == "etcd" {
            let etcd = try await EtcdServer.start(in: directory.url)
            try await soak(etcd.place + "/lab")
            #expect(try await etcd.keys("").count < 10)
            await etcd.kill()
        } else {
            let database = try await DatabaseServer.start()
            let store = database.store(of: "lab")
            let prepared = try await Program("pushauth").run([
                "fleet", "prepare", "--store", store, "--key-file", keyFile.path,
            ])
            try #require(prepared.exitCode == 0, "\(prepared.errors)")
            try await soak(store)
            try await database.stop()
        }
    }

    @Test func `lists what an outage left of the first enrollment, and takes it away`()
        async throws
    {
        // This seed's server refuses the first request with a bare 503.
        let result = try await program.run(
            ["soak", "--kills", "1", "--rounds", "0", "--seed", "889645", "--json"])
        #expect(result.exitCode == 0, "\(result.output)\(result.errors)")
        let kills = try JSON(parsing: Data(result.output.utf8))["kills"]
        #expect(kills?["halves of enrollments, listed"] == 1)
    }

    @Test func `ends what it started and takes its files away if it is interrupted`()
        async throws
    {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        func files() throws -> [String] {
            try FileManager.default.subpathsOfDirectory(atPath: directory.url.path)
        }
        let result = try await program.run(
            ["soak", "--kills", "1000000"], environment: ["TMPDIR": directory.url.path]
        ) { child in
            while try !files().contains(where: { $0.hasSuffix("kills/store") }) {
                try await Task.sleep(for: .milliseconds(20))
            }
            child.interrupt()
        }
        #expect(result.exitCode == 130)
        #expect(result.output.contains("Interrupted"))
        #expect(result.output.contains(" 0 violations"))
        #expect(try files() == [])
    }

    @Test func `says where it left everything if it was told to keep it`() async throws {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        let result = try await program.run(
            ["soak", "--kills", "1", "--rounds", "1", "--seed", "7", "--keep"],
            environment: ["TMPDIR": directory.url.path])
        #expect(result.exitCode == 0, "\(result.output)")
        #expect(result.output.contains("Store, log and errors are in \(directory.url.path)/"))
        #expect(result.output.contains("1 kills, 1 rounds, 0 violations, seed 7,"))
        #expect(!(result.output + result.errors).contains("\u{1B}"))
        let left = try FileManager.default.subpathsOfDirectory(atPath: directory.url.path)
        #expect(left.contains { $0.hasSuffix("kills/server.log") })
        #expect(left.contains { $0.hasSuffix("pairs/store") })
    }

    @Test func `explains itself, and not the roles it plays`() async throws {
        let result = try await program.run(["soak", "--help"])
        #expect(result.exitCode == 0)
        for word in ["--kills", "--rounds", "--seed", "--json", "--keep", "Exit codes"] {
            #expect(result.output.contains(word))
        }
        #expect(try await !program.run(["--help"]).output.contains("soak-device"))
    }

    @Test func `refuses a number of kills that is none`() async throws {
        #expect(try await program.run(["soak", "--kills", "many"]).exitCode == 64)
        #expect(try await program.run(["soak", "--kills=-1"]).exitCode == 64)
    }
}

@Suite struct `A process that soak started` {
    private func device(in directory: TemporaryDirectory) throws -> Peer {
        try Peer(
            Program("push-lab").executable,
            [
                "soak-device", "--directory", directory.url.path, "--instance", "a",
                "--authority", "none.pem",
            ],
            errorFile: directory.url.appendingPathComponent("errors"), temporary: directory.url)
    }

    @Test func `is a finding with its last words if it ends by itself`() async throws {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        // No key: it can't open its store.
        let device = try device(in: directory)
        await #expect(throws: Peer.Failure.ended) { try await device.call("hello") }
        let end = try #require(await device.unexpectedEnd())
        #expect(end.contains("exit code 1"))
        #expect(end.contains("storage"))
    }

    @Test func `is none if it was killed or told to end`() async throws {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        try await SoakStore(in: directory.url).prepare()
        for ending in [Peer.kill, Peer.finish] {
            let device = try device(in: directory)
            try await device.call("hello")
            #expect(await device.unexpectedEnd() == nil)
            await ending(device)()
            #expect(await device.unexpectedEnd() == nil)
            await #expect(throws: Peer.Failure.ended) { try await device.call("hello") }
        }
    }

    @Test func `says what it couldn't do`() async throws {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        try await SoakStore(in: directory.url).prepare()
        let device = try device(in: directory)
        await #expect(
            throws: Peer.Failure.refused(code: "unsupported", reason: "There is no call dance.")
        ) { try await device.call("dance") }
        await device.kill()
    }
}
