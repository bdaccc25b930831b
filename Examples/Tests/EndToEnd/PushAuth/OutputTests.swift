import Foundation
import PushCore
import PushForgeRockSimulator
import PushTesting
import Testing

@testable import push_lab

@Suite(.timeLimit(.minutes(3))) struct `pushauth with an output that takes nothing` {
    #if os(Linux)
    @Test(arguments: [["list"], ["list", "--json"], ["completions", "bash"], ["inspect", "-"]])
    func `fails, and says so`(command: [String]) async throws {
        let simulator = ForgeRockSimulator()
        try await PushAuthSite.run(with: simulator) { site in
            try await site.enroll(with: simulator, as: "jane")
            let full = try #require(FileHandle(forWritingAtPath: "/dev/full"))
            let input = try site.file("input", "{}\n")
            let result = try await site.run(command, output: full, input: input)
            #expect(result.code == 1)
            #expect(
                result.errors.hasSuffix(
                    "Standard output can't be written: the disk is full.\n"
                        + "Free some space, and try again.\n"), "\(result.errors)")
        }
    }
    #endif

    @Test func `ends as other tools do once nobody reads`() async throws {
        let simulator = ForgeRockSimulator()
        try await PushAuthSite.run(with: simulator) { site in
            try await site.enroll(with: simulator, as: "jane")
            let pipe = Pipe()
            try pipe.fileHandleForReading.close()
            let input = try site.file("input", "")
            let result = try await site.run(
                ["list"], output: pipe.fileHandleForWriting, input: input)
            #expect(result.code != 0 && !result.errors.contains("enrollment"))
        }
    }
}

extension PushAuthSite {
    fileprivate func run(
        _ arguments: [String], output: FileHandle, input: String
    ) async throws -> (code: Int32, errors: String) {
        let errors = try file("errors", "")
        let child = try ChildProcess(
            Program("pushauth").executable, arguments, environment: environment,
            streams: (
                try FileHandle(forReadingFrom: URL(fileURLWithPath: input)), output,
                try FileHandle(forWritingTo: URL(fileURLWithPath: errors))
            ))
        let end = await child.ended()
        return (end.code, try String(contentsOfFile: errors, encoding: .utf8))
    }
}
