import Foundation
import PushCore
import PushForgeRockSimulator
import PushTesting
import Testing

@testable import PushAuthCommand
@testable import push_lab

@Suite(.timeLimit(.minutes(2))) struct `pushauth asks at the terminal` {
    @Test func `a password isn't shown, and the echo is on again after`() async throws {
        try await PushAuthSite.run { site in
            let terminal = try PseudoTerminal()
            let result = try await terminal.run(site, ["enroll", "--user", "jane"]) { terminal in
                await terminal.waits(for: "Password: ")
                #expect(!terminal.isEchoing)
                terminal.type("correct horse\n")
            }
            #expect(
                result.contains("code 1\n")
                    && result.contains("no configured provider".capitalizedFirst))
            #expect(!result.contains("horse") && !terminal.shown.contains("horse"))
            #expect(result.contains(" echo ") && !result.contains("-echo "))
        }
    }

    @Test func `Ctrl-C while a password is typed gives the shell its echo back`() async throws {
        try await PushAuthSite.run { site in
            let terminal = try PseudoTerminal()
            let result = try await terminal.run(site, ["enroll", "--user", "jane"]) { terminal in
                await terminal.waits(for: "Password: ")
                #expect(!terminal.isEchoing)
                terminal.type("half\u{3}")
            }
            #expect(result.contains("code 130\n"), "\(result)")
            #expect(result.contains(" echo ") && !result.contains("-echo "))
            #expect(!terminal.shown.contains("half"))
        }
    }

    @Test(arguments: [
        ("\n", 6), ("n\n", 6), ("yess\n", 6), ("YES\n", 0), ("y\n", 0), ("y\u{3}", 130),
    ])
    func `what isn't a yes is a no, and nothing is joined`(
        answer: String, code: Int
    ) async throws {
        let simulator = ForgeRockSimulator()
        try await PushAuthSite.run(with: simulator) { site in
            _ = try await site.pushauth("token", "set", "--fcm", "lab-token")
            let text = try #require(try await simulator.invitation(for: "jane").scannedText)
            let terminal = try PseudoTerminal()
            let result = try await terminal.run(site, ["enroll", text]) { terminal in
                await terminal.waits(for: "Join it? [y/N] ")
                #expect(terminal.isEchoing)
                terminal.type(answer)
            }
            #expect(result.contains("code \(code)\n"), "\(result)")
            #expect(result.contains("Not confirmed.") == (code == 6), "\(result)")
            // Nothing was begun that another command could go on with.
            #expect(result.contains("Interrupted.\n") == (code == 130), "\(result)")
            #expect(await simulator.devices(of: "jane").isEmpty == (code != 0))
        }
    }

    @Test func `two PINs that differ are asked for again`() async throws {
        try await PushAuthSite.run(atVendor: "xignin") { site, vendor in
            _ = try await site.pushauth("token", "set", "--fcm", "lab-token")
            let text = try #require(try await vendor.simulator.invitation(for: "jane").scannedText)
            let terminal = try PseudoTerminal()
            let result = try await terminal.run(site, ["enroll", "--yes", text]) { terminal in
                for (number, pins) in [("2468013", "2468031"), ("2468013", "2468013")].enumerated()
                {
                    await terminal.waits(for: "New PIN: ", times: number + 1)
                    terminal.type(pins.0 + "\n")
                    await terminal.waits(for: "The same again: ", times: number + 1)
                    terminal.type(pins.1 + "\n")
                }
            }
            #expect(result.contains("code 0\n"), "\(result)")
            #expect(result.contains("The two PINs differ. Once more.\n"), "\(result)")
        }
    }

    /// The shell that could stop it is gone, so it goes on at once, as after `fg`.
    @Test func `after Ctrl-Z the question is there again`() async throws {
        try await PushAuthSite.run { site in
            let terminal = try PseudoTerminal()
            let result = try await terminal.run(site, ["enroll", "--user", "jane"]) { terminal in
                await terminal.waits(for: "Password: ")
                terminal.type("\u{1A}")
                await terminal.waits(for: "Password: ", times: 2)
                #expect(!terminal.isEchoing)
                terminal.type("correct horse\n")
            }
            #expect(result.contains("code 1\n"), "\(result)")
        }
    }

    // MARK: Without a terminal

    @Test func `a PIN is the first line of a descriptor`() throws {
        #expect(try line(of: "1234\n5678\n") == "1234")
        #expect(try line(of: "1234\r\n") == "1234")
        #expect(try line(of: "1234") == "1234")
        #expect(try line(of: String(repeating: "1", count: 1024)).count == 1024)
    }

    @Test(arguments: ["", "\n", "\r\n1234\n"])
    func `an empty line is none`(text: String) {
        let error = #expect(throws: PushError.self) { try line(of: text) }
        #expect(error?.code == .cancelled)
    }

    @Test func `a line that is too long isn't cut off`() {
        let error = #expect(throws: PushError.self) {
            try line(of: String(repeating: "1", count: 1025) + "\n")
        }
        #expect(error?.code == .verificationFailed)
    }

    @Test func `a descriptor or a variable that isn't there is named, not shown`() {
        let descriptor = #expect(throws: PushError.self) { try Prompt().line(from: 16_777_215) }
        #expect(descriptor?.reason.contains("16777215") == true)
        let variable = #expect(throws: PushError.self) { try Prompt().variable("PUSHAUTH_NONE") }
        #expect(variable?.reason.contains("PUSHAUTH_NONE") == true)
    }

    @Test func `a PIN can't be an argument`() async throws {
        try await PushAuthSite.run { site in
            for option in ["--pin", "--password", "--code"] {
                let result = try await site.pushauth("approve", "ab", option, "1234")
                #expect(result.exitCode == 64)
            }
        }
    }

    private func line(of text: String) throws -> String {
        let pipe = Pipe()
        try pipe.fileHandleForWriting.write(contentsOf: Data(text.utf8))
        try pipe.fileHandleForWriting.close()
        return try Prompt().line(from: pipe.fileHandleForReading.fileDescriptor)
            .withBytes { String(decoding: $0, as: UTF8.self) }
    }
}

extension String {
    fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
