import Foundation
import LocalServer
import PushCore
import PushForgeRockSimulator
import PushPlusAuthSimulator
import PushTesting
import QRCode
import Testing

@Suite struct `pushauth enroll` {
    @Test func `joins by a text from standard input, and is listed`() async throws {
        let simulator = ForgeRockSimulator(.init(issuer: "Example Bank"))
        try await PushAuthSite.run(with: simulator) { site in
            let enrolled = try await site.enroll(with: simulator, as: "jane")
            #expect(enrolled["provider"] == "forgerock" && enrolled["state"] == "active")
            #expect(enrolled["account"] == "jane" && enrolled["issuer"] == "Example Bank")
            let id = try #require(enrolled["id"]?.string)
            #expect(id.count == 12)
            let list = try await site.pushauth("list", "--json")
            #expect(try list.json["id"] == .string(id))
            #expect(try list.json["deviceToken"] == "current")
            let shown = try await site.pushauth("show", String(id.prefix(3)).uppercased(), "--json")
            for member in ["id", "name", "state", "created", "deviceToken", "user"] {
                #expect(try shown.json[member] == list.json[member] && shown.json[member] != nil)
            }
            let text = try await site.pushauth("list")
            #expect(text.output.contains("\(id)  active  forgerock  Example Bank jane"))
            #expect(!text.output.contains("\u{1B}"))
            #expect(await simulator.devices(of: "jane").count == 1)
        }
    }

    @Test func `joins by a picture of a QR code`() async throws {
        try #require(FileManager.default.isExecutableFile(atPath: "/usr/bin/zbarimg"))
        let simulator = PlusAuthSimulator()
        try await PushAuthSite.run(with: simulator) { site in
            _ = try await site.pushauth("token", "set", "--fcm", "lab-token")
            let text = try #require(try await simulator.invitation(for: "ada").scannedText)
            let picture = try site.file("code.pgm", try picture(of: text))
            let result = try await site.pushauth("enroll", "--image", picture, "--yes", "--json")
            #expect(result.exitCode == 0, "\(result.errors)")
            #expect(try result.json["provider"] == "plusauth")
            let empty = try site.file("empty.pgm", Data("P5 8 8 255\n".utf8) + Data(count: 64))
            let none = try await site.pushauth("enroll", "--image", empty, "--yes")
            #expect(none.exitCode == 1 && none.errors.contains("No QR code was found"))
            let missing = try await site.pushauth("enroll", "--image", picture + ".png", "--yes")
            #expect(missing.exitCode == 1 && missing.errors.contains("There is no picture"))
        }
    }

    @Test func `sends nothing before somebody has agreed`() async throws {
        let simulator = ForgeRockSimulator()
        try await PushAuthSite.run(with: simulator) { site in
            _ = try await site.pushauth("token", "set", "--fcm", "lab-token")
            let text = try #require(try await simulator.invitation(for: "jane").scannedText)
            // No terminal is there to ask at.
            let result = try await site.pushauth("enroll", "-", input: text)
            #expect(result.exitCode == 6)
            #expect(result.errors.contains("Account: jane"))
            #expect(result.errors.contains(/Server: 127\.0\.0\.1:[0-9]+\n/), "\(result.errors)")
            #expect(result.errors.contains("--yes") && !result.errors.contains("PIN"))
            #expect(await simulator.exchanges.isEmpty)
            #expect(try await site.pushauth("list", "--json").output.isEmpty)
        }
    }

    @Test func `says without a terminal which options give a password`() async throws {
        try await PushAuthSite.run { site in
            let result = try await site.pushauth("enroll", "--user", "jane", "--yes")
            #expect(result.exitCode == 6)
            #expect(result.errors.contains("--password-fd or --password-env"))
            #expect(!result.errors.contains("PIN"))
        }
    }

    @Test func `says that a vendor wants a device token`() async throws {
        let simulator = ForgeRockSimulator()
        try await PushAuthSite.run(with: simulator) { site in
            let text = try #require(try await simulator.invitation(for: "jane").scannedText)
            let result = try await site.pushauth("enroll", "-", "--yes", input: text)
            #expect(result.exitCode == 1)
            #expect(result.errors.contains("pushauth token set"))
        }
    }

    @Test func `refuses a second enrollment of one account, and a code that isn't one`()
        async throws
    {
        let simulator = ForgeRockSimulator()
        try await PushAuthSite.run(with: simulator) { site in
            try await site.enroll(with: simulator, as: "jane")
            let again = try #require(try await simulator.invitation(for: "jane").scannedText)
            let second = try await site.pushauth("enroll", "-", "--yes", input: again)
            #expect(second.exitCode == 1 && second.errors.contains("pushauth remove"))
            for text in ["hello", "https://acme.example/", "\u{1B}]0;x\u{7}"] {
                let result = try await site.pushauth("enroll", text, "--yes")
                #expect(result.exitCode == 1 && result.output.isEmpty)
                #expect(result.errors.contains("No configured provider knows this code."))
                #expect(!result.errors.contains("\u{1B}"))
            }
            let damaged = try await site.pushauth("enroll", "pushauth://push/x:y?s=%", "--yes")
            #expect(damaged.exitCode == 1 && !damaged.errors.isEmpty)
            let empty = try await site.pushauth("enroll", "-", "--yes", input: "")
            #expect(empty.exitCode == 1 && empty.errors.contains("no text of a code"))
        }
    }

    @Test func `remembers half an enrollment, and says so`() async throws {
        let simulator = ForgeRockSimulator()
        let isLosing = Switch()
        let handler: LocalServer.Handler = { request, body in
            let reply = await simulator.respond(to: request, body: body)
            return await isLosing.isOn ? nil : reply
        }
        try await PushAuthSite.run(with: simulator, answering: handler) { site in
            _ = try await site.pushauth("token", "set", "--fcm", "lab-token")
            await isLosing.turn(on: true)
            let text = try #require(try await simulator.invitation(for: "jane").scannedText)
            let result = try await site.pushauth("enroll", "-", "--yes", "--json", input: text)
            #expect(result.exitCode == 0, "\(result.errors)")
            #expect(try result.json["state"] == "pending")
            let listed = try await site.pushauth("list", "--json").json
            #expect(listed["state"] == "pending")
            let id = try #require(listed["id"]?.string)
            let doctor = try await site.pushauth("doctor", "--offline", "--json")
            #expect(doctor.exitCode == 0)
            let check = try #require(try doctor.lines.first { $0["check"] == "enrollment" })
            #expect(check["status"] == "warning")
            #expect(check["text"]?.string?.hasPrefix("\(id) at 127.0.0.1 is half an") == true)
            #expect(check["next"]?.string?.contains("`pushauth refresh \(id)`") == true)
            #expect(check["next"]?.string?.contains("`pushauth remove \(id)`") == true)
        }
    }

    @Test func `ends an enrollment`() async throws {
        let simulator = ForgeRockSimulator()
        try await PushAuthSite.run(with: simulator) { site in
            let id = try await site.enroll(with: simulator, as: "jane")["id"]?.string ?? ""
            let unasked = try await site.pushauth("remove", id)
            #expect(unasked.exitCode == 6)
            #expect(unasked.errors.contains("--yes") && !unasked.errors.contains("PIN"))
            #expect(try await site.pushauth("list", "--json").json["id"] == .string(id))
            #expect(try await site.pushauth("remove", id, "--yes").exitCode == 0)
            #expect(try await site.pushauth("list", "--json").output.isEmpty)
            let gone = try await site.pushauth("show", id)
            #expect(gone.exitCode == 3 && gone.errors.contains("pushauth enroll"))
        }
    }

    /// A picture that zbarimg reads: a binary portable graymap.
    private func picture(of text: String) throws -> Data {
        QRReader.picture(of: try QRCode(text, correcting: .low))
    }
}
