import Foundation
import PushCore
import PushTesting
import Testing

@testable import push_lab

@Suite(.timeLimit(.minutes(3))) struct `pushauth listen while a login is taken back` {
    @Test(arguments: ["xignin", "powerauth"])
    func `a question that a push withdraws ends --once`(name: String) async throws {
        try await PushAuthSite.run(atVendor: name) { site, vendor in
            let enrollment = try await site.join(vendor)
            _ = try await site.pushauth("refresh", enrollment)
            let input = Pipe()
            let output = try site.file("events", "")
            let child = try ChildProcess(
                Program("pushauth").executable,
                ["listen", "--stdin", "--once", "--timeout", "60", "--json"],
                environment: site.environment,
                streams: (
                    input.fileHandleForReading,
                    try FileHandle(forWritingTo: URL(fileURLWithPath: output)), .nullDevice
                ))
            func deliver() async throws {
                for push in await vendor.simulator.takePushes() {
                    try input.fileHandleForWriting.write(
                        contentsOf: push.payload + Data("\n".utf8))
                }
            }
            _ = await vendor.simulator.takePushes()
            let login = try await vendor.simulator.startLogin(of: "jane", asking: .confirm)
            try await deliver()
            while try !events(in: output).contains("question") {
                try await Task.sleep(for: .milliseconds(50))
            }
            let cancel = try #require(vendor.cancel)
            try await cancel(login.id)
            try await deliver()
            #expect(await child.ended().code == 8)
            let names = try events(in: output)
            #expect(names.filter { ["question", "withdrawn"].contains($0) }.count == 2)
        }
    }

    private func events(in file: String) throws -> [String] {
        try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")
            .compactMap { try? JSON(parsing: String($0))["event"]?.string }
    }
}
