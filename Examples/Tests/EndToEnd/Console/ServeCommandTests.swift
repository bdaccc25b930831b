import Foundation
import HTTPTypes
import PushCore
import PushPlatform
import Testing

@testable import push_lab

/// What `push-lab serve` says when it can't.
@Suite(.timeLimit(.minutes(2))) struct ServeCommandTests {
    @Test func `a port that another program has is said to be taken`() async throws {
        try await ConsoleDevice.run { world in
            let result = try await Program("push-lab").run(["serve", "--port", "\(world.port)"])
            #expect(result.exitCode == 1)
            #expect(result.output.isEmpty)
            #expect(
                result.errors == """
                    push-lab: Nothing can listen at port \(world.port): another program listens there.
                    --port 0 lets the system choose one.

                    """)
        }
    }

    @Test func `a directory that can't be made is named, with the system's reason`()
        async throws
    {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        let file = directory.url.appendingPathComponent("file")
        try Data().write(to: file)
        let path = file.path + "/lab"
        let result = try await Program("push-lab").run(["serve", "--port", "0", "--write", path])
        #expect(result.exitCode == 1)
        #expect(result.output.isEmpty)
        #expect(
            result.errors == "push-lab: Nothing can be written to \(path): Not a directory.\n")
    }

    @Test func `what it writes is named by the commands of its invitations`() async throws {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        let output = Pipe()
        let child = try ChildProcess(
            Program("push-lab").executable,
            ["serve", "--port", "0", "--write", directory.url.path + "/lab"],
            streams: (.nullDevice, output.fileHandleForWriting, .standardError))
        defer { child.kill() }
        var lines = Lines.stream(from: output.fileHandleForReading).makeAsyncIterator()
        let line = try #require(await lines.next())
        let origin = try #require(line.firstMatch(of: /at (http:[^ ]*)\/$/)?.1)
        let (_, reply) = try await SystemTransport(.init(plainHTTP: .loopbackOnly)).send(
            try Endpoint("\(origin)/api/plusauth/invitations")
                .request(.post, headers: [.contentType: "application/json"]),
            body: Data(#"{"user":"jane"}"#.utf8))
        let command = try JSON(parsing: reply)["command"]?.string
        let file = directory.url.path + "/lab/pushauth.toml"
        #expect(command?.hasPrefix("pushauth enroll --config \(file) ") == true, "\(reply)")
        #expect(FileManager.default.fileExists(atPath: file))
    }
}
