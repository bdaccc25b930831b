import Foundation
import PushCore
import PushTesting
import Testing

@testable import push_lab

/// A PIN on its way from the caller to the vendor.
@Suite(.timeLimit(.minutes(3))) struct `pushauth with a PIN` {
    private static let pin = "9713840"

    @Test(arguments: ["onespan", "xignin"], ["--pin-env", "--pin-fd"])
    func `approves, and nobody else on the machine can read the PIN`(
        name: String, option: String
    ) async throws {
        let vendor = try #require(ConsoleVendors.all().first { $0.name == name })
        let gate = Gate()
        try await PushAuthSite.run(with: vendor, through: gate) { site in
            _ = try await site.enroll(at: vendor, pin: Self.pin)
            // Where there is no finger, the one asks for the PIN instead; the other always does.
            let login = try await vendor.simulator.startLogin(
                of: "jane", asking: name == "onespan" ? .biometry : .confirm)
            _ = try await site.deliver(from: vendor.simulator)
            let id = try await site.waiting()
            let wrong = try await approve(id, by: option, pin: "1234567", at: site) { _ in }
            try #require(wrong.exitCode == 6, "\(wrong.output)\(wrong.errors)")
            #expect(try await vendor.simulator.status(of: login.id) == .waiting)

            let knock = await gate.shut()
            let right = try await approve(id, by: option, pin: Self.pin, at: site) { process in
                await knock.wait()
                #if os(Linux)
                let arguments = try process.file("cmdline")
                #expect(arguments.contains(id) && arguments.contains(option))
                #expect(!arguments.contains(Self.pin))
                let variables = try process.file("environ")
                #expect(variables.contains(Self.pin) == (option == "--pin-env"))
                #endif
                await gate.open()
            }
            #expect(right.exitCode == 0, "\(right.output)\(right.errors)")
            #expect(!(right.output + right.errors).contains(Self.pin))
            #expect(try await vendor.simulator.status(of: login.id) == .approved)
        }
    }

    /// Runs `pushauth approve` in the place of a shell that has noted its number.
    private func approve(
        _ id: String, by option: String, pin: String, at site: PushAuthSite,
        meanwhile: (RunningProcess) async throws -> Void
    ) async throws -> Program.Result {
        let pinFile = try site.file("pin", pin + "\n")
        let numberFile = try site.file("number", "")
        let script = "echo $$ >'\(numberFile)'; exec \"$0\" \"$@\" 3<'\(pinFile)'"
        let environment = option == "--pin-env" ? ["PIN": pin] : [:]
        return try await Program(at: URL(fileURLWithPath: "/bin/sh")).run(
            [
                "-c", script, Program("pushauth").executable.path, "approve", id, "--yes", option,
                option == "--pin-env" ? "PIN" : "3",
            ], environment: site.environment.merging(environment) { $1 },
            meanwhile: { _ in try await meanwhile(RunningProcess(numberFile: numberFile)) })
    }
}

/// What the system shows of a process.
struct RunningProcess {
    let numberFile: String

    var number: String {
        get throws {
            try String(contentsOfFile: numberFile, encoding: .utf8)
                .trimmingCharacters(in: .newlines)
        }
    }

    func file(_ name: String) throws -> String {
        let bytes = try Data(contentsOf: URL(fileURLWithPath: "/proc/\(try number)/\(name)"))
        return String(decoding: bytes, as: UTF8.self)
    }
}
