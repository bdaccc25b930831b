import Foundation
import HTTPTypes
import LocalServer
import PushCore
import PushPlatform

@testable import push_lab

/// A headless browser, driven by its WebDriver (W3C WebDriver, level 2).
final class Browser: Sendable {
    private let driver: ChildProcess
    private let session: String
    private let transport: SystemTransport

    /// Whether this machine has one. `make test` installs it.
    static let isPresent =
        FileManager.default.isExecutableFile(atPath: driverPath)
        && FileManager.default.isExecutableFile(atPath: "/usr/bin/chromium")

    private static let driverPath = "/usr/bin/chromedriver"

    private init(_ driver: ChildProcess, _ session: String, _ transport: SystemTransport) {
        self.driver = driver
        self.session = session
        self.transport = transport
    }

    /// Starts a browser.
    ///
    /// - Returns: The browser.
    /// - Throws: What keeps it from starting.
    static func start() async throws -> Browser {
        // Now and then a driver ends at once, as another got its port first.
        for _ in 0..<2 {
            if let browser = try? await launch() { return browser }
        }
        return try await launch()
    }

    private static func launch() async throws -> Browser {
        let port = try await freePort()
        let output = Pipe()
        let driver = try ChildProcess(
            URL(fileURLWithPath: driverPath), ["--port=\(port)"],
            streams: (.nullDevice, output.fileHandleForWriting, .nullDevice))
        do {
            try await untilStarted(output)
            let origin = "http://127.0.0.1:\(port)"
            let transport = SystemTransport(.init(plainHTTP: .loopbackOnly, timeout: .seconds(60)))
            let arguments: [JSON] = [
                "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                "--hide-scrollbars", "--window-size=1000,1400",
            ]
            let reply = try await call(
                transport, .post, "\(origin)/session",
                [
                    "capabilities": [
                        "alwaysMatch": ["goog:chromeOptions": ["args": .array(arguments)]]
                    ]
                ])
            guard let id = reply["sessionId"]?.string else { throw Failure("no session") }
            return Browser(driver, "\(origin)/session/\(id)", transport)
        } catch {
            driver.kill()
            throw error
        }
    }

    /// Closes it.
    func close() async {
        _ = try? await Self.call(transport, .delete, session, nil)
        driver.kill()
    }

    func open(_ url: String) async throws {
        try await call("/url", ["url": .string(url)])
    }

    /// Clicks what a selector finds.
    func click(_ selector: String) async throws {
        try await call("/element/\(try await element(selector))/click", [:])
    }

    func type(_ text: String, into selector: String) async throws {
        try await call(
            "/element/\(try await element(selector))/value", ["text": .string(text)])
    }

    /// The text of what a selector finds.
    func text(of selector: String) async throws -> String {
        try await evaluate(
            "const e = document.querySelector(arguments[0]); return e ? e.textContent : null",
            .string(selector)
        ).string ?? ""
    }

    /// What a script returns.
    @discardableResult
    func evaluate(_ script: String, _ arguments: JSON...) async throws -> JSON {
        try await call(
            "/execute/sync", ["script": .string(script), "args": .array(arguments)])
    }

    /// Waits until a script returns true; the page may load again meanwhile.
    func wait(
        for what: String, _ script: String, _ arguments: JSON...,
        within limit: Duration = .seconds(30)
    ) async throws {
        let start = ContinuousClock.now
        while start.duration(to: .now) < limit {
            let value = try? await call(
                "/execute/sync", ["script": .string(script), "args": .array(arguments)])
            if value?.bool == true { return }
            try await Task.sleep(for: .milliseconds(100))
        }
        throw Failure("It never came: \(what). The page: \(try await text(of: "main"))")
    }

    /// Makes the page as wide as that in CSS pixels, however wide a window must be, and its colors
    /// dark or light.
    func resize(to width: Int, isDark: Bool = false) async throws {
        try await command(
            "Emulation.setDeviceMetricsOverride",
            [
                "width": .number(.init(Int64(width))), "height": 900, "deviceScaleFactor": 1,
                "mobile": false,
            ])
        let scheme: JSON = isDark ? "dark" : "light"
        try await command(
            "Emulation.setEmulatedMedia",
            ["features": [["name": "prefers-color-scheme", "value": scheme]]])
    }

    /// Keeps a picture of the whole page, as PNG, where the gate's artifacts are.
    func keepScreenshot(as name: String) async throws {
        let reply = try await command(
            "Page.captureScreenshot", ["captureBeyondViewport": true])
        let folder = URL(fileURLWithPath: CommandLine.arguments[0])
            .resolvingSymlinksInPath().deletingLastPathComponent()
            .appendingPathComponent("screenshots", isDirectory: true)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let picture = reply["data"]?.string.flatMap { Data(base64Encoded: $0) } ?? Data()
        try picture.write(to: folder.appendingPathComponent("\(name).png"))
    }

    /// A command of Chromium's own (Chrome DevTools Protocol).
    @discardableResult
    private func command(_ name: String, _ parameters: JSON) async throws -> JSON {
        try await call("/goog/cdp/execute", ["cmd": .string(name), "params": parameters])
    }

    private func element(_ selector: String) async throws -> String {
        let found = try await call(
            "/element", ["using": "css selector", "value": .string(selector)])
        guard let id = found.object?.members.first?.value.string else {
            throw Failure("There is no \(selector).")
        }
        return id
    }

    @discardableResult
    private func call(_ path: String, _ body: JSON) async throws -> JSON {
        try await Self.call(transport, .post, session + path, body)
    }

    private static func call(
        _ transport: SystemTransport, _ method: HTTPRequest.Method, _ url: String, _ body: JSON?
    ) async throws -> JSON {
        let (_, data) = try await transport.send(
            try Endpoint(url).request(method, headers: [.contentType: "application/json"]),
            body: body?.data ?? Data())
        let value = try JSON(parsing: data, limits: JSON.Limits(bytes: 1 << 24))["value"] ?? .null
        if let error = value["error"]?.string {
            throw Failure("\(error): \(value["message"]?.string ?? "")")
        }
        return value
    }

    /// A port that nobody has. A driver could choose one, but where there is no IPv6 it says that it
    /// chose port 0.
    private static func freePort() async throws -> Int {
        let server = try await LocalServer.start { _, _ in nil }
        await server.stop()
        return server.port
    }

    /// The driver says that it listens once it does.
    private static func untilStarted(_ output: Pipe) async throws {
        for await line in Lines.stream(from: output.fileHandleForReading)
        where line.contains("started successfully") {
            return
        }
        throw Failure("The browser's driver didn't start.")
    }

    struct Failure: Error, CustomStringConvertible {
        let description: String

        init(_ description: String) {
            self.description = description
        }
    }
}
