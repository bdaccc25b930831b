import Foundation
import HTTPTypes
import PushCore
import PushPlatform
import PushTesting

@testable import push_lab

/// A push service that keeps what it is given.
actor PushBox: PushDelivery {
    private(set) var pushes: [SimulatedPush] = []
    private var held: [CheckedContinuation<Void, Never>] = []
    private var fate = PushFate.taken("taken by a test")

    var isHolding: Bool { !held.isEmpty }

    /// Holds a push back.
    func hold() async {
        await withCheckedContinuation { held.append($0) }
    }

    /// Lets go what is held back.
    func release() {
        for push in held { push.resume() }
        held = []
    }

    func send(_ push: SimulatedPush) -> PushFate {
        pushes.append(push)
        return fate
    }

    /// Says what becomes of the pushes from now on.
    func answer(_ fate: PushFate) {
        self.fate = fate
    }

    /// What came since the last call.
    func take() -> [SimulatedPush] {
        defer { pushes = [] }
        return pushes
    }
}

/// A console, its pages over HTTP, and a device that takes the pushes when it is told to.
struct ConsoleDevice {
    struct Reply {
        let status: Int
        let headers: HTTPFields
        let text: String
    }

    static let pin = "24680"
    static let token = "a-token-of-this-test"

    let site: ConsoleSite
    let box: PushBox
    private let device: PushAuthSite
    private let transport = SystemTransport(.init(plainHTTP: .loopbackOnly))

    /// Runs a test with a console of its own.
    static func run(
        patience: Duration = .seconds(30), _ test: (ConsoleDevice) async throws -> Void
    ) async throws {
        try await PushAuthSite.run { device in
            let box = PushBox()
            let site = try await ConsoleSite.start(
                at: 0, sender: box, patience: patience, hold: { await box.hold() })
            do {
                for (name, text) in await site.files() { _ = try device.file(name, text) }
                try await test(ConsoleDevice(site: site, box: box, device: device))
            } catch {
                await box.release()
                await site.stop()
                throw error
            }
            await box.release()
            await site.stop()
        }
    }

    /// The same, with a browser beside it.
    static func runInBrowser(
        _ test: (ConsoleDevice, Browser) async throws -> Void
    ) async throws {
        try await run { world in
            let browser = try await Browser.start()
            do {
                try await test(world, browser)
            } catch {
                await browser.close()
                throw error
            }
            await browser.close()
        }
    }

    private init(site: ConsoleSite, box: PushBox, device: PushAuthSite) {
        self.site = site
        self.box = box
        self.device = device
    }

    // MARK: Pages

    var port: Int { Int(site.origin.split(separator: ":").last ?? "") ?? 0 }

    func get(_ path: String) async throws -> Reply { try await fetch(.get, path, "") }

    func post(_ path: String, _ form: String = "") async throws -> Reply {
        try await fetch(.post, path, form)
    }

    func fetch(
        _ method: HTTPRequest.Method, _ path: String, _ form: String, _ headers: HTTPFields = [:]
    ) async throws -> Reply {
        let (response, data) = try await transport.send(
            try Endpoint(site.origin + path).request(method, headers: headers),
            body: Data(form.utf8))
        return Reply(
            status: response.status.code, headers: response.headerFields,
            text: String(decoding: data, as: UTF8.self))
    }

    /// Waits until a page says something, and returns it.
    func page(_ path: String, saying text: String) async throws -> String {
        let start = ContinuousClock.now
        var page = ""
        while start.duration(to: .now) < .seconds(20) {
            page = try await get(path).text
            if page.contains(text) { return page }
            try await Task.sleep(for: .milliseconds(50))
        }
        throw Browser.Failure("\(path) never says \(text), but: \(page)")
    }

    // MARK: The device

    /// How a page shows the device's token.
    var shortToken: String { String(Self.token.prefix(6)) }

    /// Enrolls a user's device by what the vendor's page shows.
    ///
    /// - Returns: The invitation's text, or its password.
    @discardableResult
    func enroll(
        _ user: String = "jane", at vendor: String, withToken hasToken: Bool = true
    ) async throws -> String {
        let page = try await get("/\(vendor)/\(user)/invitation").text
        let password = Self.text(of: "password", in: page) ?? ""
        let text = Self.text(of: "invitation", in: page)
        try await enroll(
            by: text, account: Self.text(of: "account", in: page) ?? "", password: password,
            at: vendor, as: user, withToken: hasToken)
        return text ?? password
    }

    /// Enrolls a user's device by an invitation: by its text, or by an account with a password.
    func enroll(
        by text: String?, account: String, password: String, at vendor: String,
        as user: String = "jane", withToken hasToken: Bool = true
    ) async throws {
        if hasToken { _ = try await pushauth("token", "set", "--fcm", Self.token) }
        if let text {
            _ = try await pushauth("enroll", "--yes", "--pin-env", "PIN", "-", input: text)
        } else {
            _ = try await pushauth(
                "enroll", "--yes", "--pin-env", "PIN", "--user", account,
                "--password-env", "PASSWORD", environment: ["PASSWORD": password])
        }
        // A vendor whose back office confirms first has no token until the device asks again.
        _ = try await page(
            "/\(vendor)/\(user)",
            saying: "<li id=\"device-0\">")
        if vendor == "powerauth" { _ = try await pushauth("refresh") }
        if hasToken { _ = try await page("/\(vendor)/\(user)", saying: "FCM \(shortToken)") }
    }

    /// Starts a login, and returns the push of it.
    func logIn(_ user: String = "jane", at vendor: String) async throws -> SimulatedPush {
        // What the last login still sends comes first.
        try await settled(at: vendor)
        _ = await box.take()
        let reply = try await post("/\(vendor)/\(user)/login", "kind=confirm")
        guard reply.status == 303 else { throw Browser.Failure(reply.text) }
        return try await pushes(1)[0]
    }

    /// Plans a fault by its button, and finds it on the page.
    func plan(_ fault: String, at vendor: String, saying words: String) async throws {
        guard try await post("/\(vendor)/jane/fault", "fault=\(fault)").status == 303 else {
            throw Browser.Failure("\(fault) isn't taken.")
        }
        let page = try await page("/\(vendor)/jane", saying: "id=\"planned\"")
        guard page.contains("The next push: \(words)") else { throw Browser.Failure(page) }
    }

    /// Waits until a push is held back, and lets it go.
    func release() async {
        while await !box.isHolding { try? await Task.sleep(for: .milliseconds(20)) }
        await box.release()
    }

    private func settled(at vendor: String) async throws {
        while try await get("/\(vendor)/jane").text.contains("on its way") {
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    /// Waits until so many pushes have come.
    func pushes(_ count: Int) async throws -> [SimulatedPush] {
        let start = ContinuousClock.now
        while start.duration(to: .now) < .seconds(20) {
            if await box.pushes.count >= count { return await box.take() }
            try await Task.sleep(for: .milliseconds(20))
        }
        throw Browser.Failure("There came \(await box.pushes.count) pushes, not \(count).")
    }

    /// Gives a push to the device, which approves what it asks; what it printed.
    func approve(_ push: SimulatedPush) async throws -> String {
        let policy = try device.file(
            "policy.toml", "[[rule]]\nname = \"test\"\naction = \"approve\"\n")
        let line = String(decoding: push.payload, as: UTF8.self) + "\n"
        return try await pushauth(
            "listen", "--stdin", "--json", "--policy", policy, "--pin-env", "PIN", "--vouch",
            "--yes", input: line, succeeding: false)
    }

    /// The one-time code that the device shows for its only enrollment at ForgeRock.
    func code() async throws -> String {
        try await pushauth("code", "--provider", "forgerock")
            .trimmingCharacters(in: .whitespacesAndNewlines)
    }

    private func pushauth(
        _ command: String..., input: String = "", environment: [String: String] = [:],
        succeeding: Bool = true
    ) async throws -> String {
        let configuration = device.directory.appendingPathComponent("pushauth.toml").path
        var arguments = command
        arguments.insert(
            contentsOf: ["--config", configuration],
            at: command.count > 1 && command[0] == "token" ? 2 : 1)
        let result = try await Program("pushauth").run(
            arguments, text: input,
            environment: device.environment.merging(["PIN": Self.pin]) { $1 }
                .merging(environment) { $1 })
        guard result.exitCode == 0 || !succeeding else {
            throw Browser.Failure("\(command): \(result.errors)")
        }
        return result.output + result.errors
    }

    /// The text of an element of a page that has no other in it.
    static func text(of id: String, in page: String) -> String? {
        let parts = page.components(separatedBy: "id=\"\(id)\">")
        guard parts.count == 2 else { return nil }
        return String(parts[1].prefix { $0 != "<" })
            .replacing("&lt;", with: "<").replacing("&gt;", with: ">")
            .replacing("&quot;", with: "\"").replacing("&#39;", with: "'")
            .replacing("&amp;", with: "&")
    }
}
