import Foundation
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
}
