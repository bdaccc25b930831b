import Foundation
import PushCore

@testable import push_lab

/// A console, a device that listens in a process of its own, and a browser between them.
struct ConsoleHarness {
    static let pin = "24680"

    let site: ConsoleSite
    let browser: Browser
    let listening: ListeningProcess
    private let directory: TemporaryDirectory
    private let options: [String]

    /// Where a policy's command reads the number from that the page shows.
    var numberFile: URL { directory.url.appendingPathComponent("number") }

    /// - Parameters:
    ///   - intake: `fcm` or `apns`.
    ///   - action: What the policy does: `approve` or `deny`.
    /// - Returns: The three, once they are ready.
    /// - Throws: What keeps one of them from starting.
    static func start(intake: String, action: String) async throws -> ConsoleHarness {
        let directory = try TemporaryDirectory()
        let credentials = directory.url.appendingPathComponent("push")
        let site = try await ConsoleSite.start(at: 0, sender: PushSender(directory: credentials))
        for (name, text) in await site.files() {
            try Data(text.utf8).write(to: directory.url.appendingPathComponent(name))
        }
        let policy = directory.url.appendingPathComponent("policy.toml")
        try Data(self.policy(action, numberFile: directory.url.path + "/number").utf8)
            .write(to: policy)
        let options = [
            "--store", directory.url.path + "/store",
            "--config", directory.url.path + "/pushauth.toml",
        ]
        let listening = try ListeningProcess(
            [
                "--\(intake)", "127.0.0.1:0", "--credentials", credentials.path,
                "--policy", policy.path, "--pin-env", "PIN", "--vouch", "--yes",
            ] + options, environment: ["PIN": pin])
        do {
            _ = try await listening.event("listening")
            return ConsoleHarness(
                site: site, browser: try await Browser.start(), listening: listening,
                directory: directory, options: options)
        } catch {
            await listening.kill()
            await site.stop()
            directory.remove()
            throw error
        }
    }

    /// The command waits for the page's number as a person would who looks from one to the other.
    private static func policy(_ action: String, numberFile: String) -> String {
        let wait = "while [ ! -s \(numberFile) ]; do sleep 0.1; done; cat \(numberFile)"
        return """
            [[rule]]
            name = "test"
            kind = ["approve", "choose"]
            action = "\(action)"
            \(action == "approve" ? "number = { command = [\"sh\", \"-c\", \"\(wait)\"] }" : "")

            """
    }

    /// Enrolls jane's device by what the vendor's page shows.
    func enroll(at vendor: String) async throws {
        try await browser.open("\(site.origin)/\(vendor)/jane/invitation")
        let text = try await browser.text(of: "#invitation")
        var arguments = ["enroll", "--yes", "--json", "--pin-env", "PIN"] + options
        var environment = ["PIN": Self.pin]
        var input = ""
        if text.isEmpty {
            arguments += ["--user", try await browser.text(of: "#account")]
            arguments += ["--password-env", "PASSWORD"]
            environment["PASSWORD"] = try await browser.text(of: "#password")
        } else {
            arguments.append("-")
            input = text + "\n"
        }
        let result = try await Program("pushauth")
            .run(arguments, text: input, environment: environment)
        guard result.exitCode == 0 else { throw Browser.Failure(result.errors) }
        try await browser.open("\(site.origin)/\(vendor)/jane")
        try await waitForDevice()
    }

    /// Waits until the page lists a device that can be reached.
    private func waitForDevice() async throws {
        let start = ContinuousClock.now
        while start.duration(to: .now) < .seconds(20) {
            let devices = try await browser.text(of: "#devices")
            if devices.contains("FCM") || devices.contains("APNs") { return }
            // A vendor whose back office confirms first has no token until the device asks again.
            _ = try await Program("pushauth").run(["refresh"] + options)
            try await Task.sleep(for: .milliseconds(300))
        }
        throw Browser.Failure("No device with a push token: \(try await browser.text(of: "main"))")
    }

    /// Logs jane in by a button, and waits until the page says how it ended.
    func logIn(by kind: String, until status: String) async throws {
        try await browser.click("#login-\(kind)")
        if kind == "number" {
            try await browser.wait(
                for: "a number", "return document.querySelector('#shown') !== null")
            let number = try await browser.text(of: "#shown")
            try Data("\(number)\n".utf8).write(to: numberFile, options: .atomic)
        }
        try await browser.wait(
            for: status,
            """
            const s = document.querySelector('#status');
            return s !== null && s.dataset.status === arguments[0]
            """, .string(status))
    }

    func close() async {
        await browser.close()
        _ = await listening.stop()
        await site.stop()
        directory.remove()
    }
}
