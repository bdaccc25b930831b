import Foundation
import Testing

@testable import push_lab

/// How fast it is says as much of the machine as of the program, so that isn't looked at.
@Suite(.timeLimit(.minutes(3))) struct `push-lab load` {
    private let program = Program("push-lab")

    @Test func `says what so many pushes took, once each login is approved`() async throws {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        let result = try await program.run(
            ["load", "--pushes", "20", "--width", "4", "--directory", directory.url.path])
        #expect(result.exitCode == 0, "\(result.errors)")
        let lines = result.output.split(separator: "\n")
        try #require(lines.count == 5, "\(result.output)")
        #expect(lines[0] == "20 pushes over 20 accounts, 4 at once, all approved")
        #expect(
            lines[1].wholeMatch(
                of: /pushauth {12}[0-9]+ logins\/s  [0-9]+\.[0-9]{2} ms of processor each/) != nil)
        let bare =
            /compare-and-set {5}[0-9]+ logins\/s  [0-9.]+ ms of processor each  \(([0-9]) writes .*/
        // The enrollment's record as a challenge is announced, decided and answered.
        #expect(lines[2].wholeMatch(of: bare)?.1 == "3")
        #expect(lines[3].wholeMatch(of: /pushauth \/ store {4}[0-9]+\.[0-9]{2}/) != nil)
        #expect(
            lines[4].wholeMatch(
                of: /libcurl alone {7}[0-9]+ logins\/s  [0-9]+\.[0-9]{2} ms of processor each/)
                != nil)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.url.path) == [])
    }

    @Test func `says what a fleet took, listeners by listeners`() async throws {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        let etcd = try await EtcdServer.start(in: directory.url)
        let keyFile = directory.url.appendingPathComponent("key")
        try Data(String(repeating: "5a", count: 32).utf8).write(to: keyFile)
        chmod(keyFile.path, 0o600)
        let result = try await program.run([
            "load", "--pushes", "12", "--width", "4", "--directory", directory.url.path,
            "--devices", "5", "--listeners", "1,2", "--store", etcd.place + "/load", "--key-file",
            keyFile.path,
        ])
        #expect(result.exitCode == 0, "\(result.errors)")
        let lines = result.output.split(separator: "\n")
        try #require(lines.count == 4, "\(result.output)")
        #expect(lines[0] == "12 pushes for 5 devices, 4 at once, all approved")
        #expect(lines[1].wholeMatch(of: /compare-and-set {5}[0-9]+\/s  8 at once/) != nil)
        let words = /[0-9]+\/s  [0-9.]+ of compare-and-set, [0-9.]+ of the first/
        #expect(lines[2].hasPrefix("1 listener ") && lines[2].contains(words))
        #expect(lines[3].hasPrefix("2 listeners ") && lines[3].contains(words))
        await etcd.kill()
    }

    @Test func `ends with an error if nothing listens`() async throws {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        let result = try await program.run([
            "load", "--pushes", "2", "--pushauth", "/bin/false", "--directory",
            directory.url.path,
        ])
        #expect(result.exitCode == 1 && result.output.isEmpty)
        #expect(result.errors.contains("doesn't listen"), "\(result.errors)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.url.path) == [])
    }

    @Test(arguments: [["--pushes", "0"], ["--width", "0"]])
    func `refuses to do nothing`(options: [String]) async throws {
        let result = try await program.run(["load"] + options)
        #expect(result.exitCode == 64 && result.errors.contains("at least 1"))
    }
}
