import Foundation
import HTTPTypes
import PushCore
import PushPlatform
import Testing

@testable import push_lab

/// What the page of an invitation shows: a QR code, its text, and a command for a shell.
@Suite(.timeLimit(.minutes(3))) struct ConsoleInvitationTests {
    static let vendors = ConsoleVendors.all().map(\.name)

    // MARK: The command

    @Test(arguments: ConsoleInvitationTests.vendors)
    func `the command enrolls when it is pasted into a shell as it is`(
        vendor: String
    ) async throws {
        try await ConsoleDevice.run { world in
            let page = try await world.get("/\(vendor)/jane/invitation").text
            let command = try #require(ConsoleDevice.text(of: "command", in: page))
            let shell = try Shell()
            defer { shell.remove() }
            try await shell.setToken()
            let (end, shown) = try await shell.run(command)
            #expect(end.code == 0, "\(command)\n\(shown)")
            #expect(shown.contains("Join it? [y/N]") && shown.contains(vendor), "\(shown)")
            _ = try await world.page(
                "/\(vendor)/jane",
                saying: "<li id=\"device-0\">")
        }
    }

    @Test func `the command names the file that was written, whatever its path`() async throws {
        let shell = try Shell()
        defer { shell.remove() }
        let folder = shell.directory.appendingPathComponent("jane's \"lab\" $HOME #1 \\")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let file = folder.appendingPathComponent("pushauth.toml")
        let site = try await ConsoleSite.start(
            at: 0, sender: PushBox(), configurationFile: file.path)
        do {
            for (name, text) in await site.files() {
                try Data(text.utf8).write(to: folder.appendingPathComponent(name))
            }
            let (_, page) = try await SystemTransport(.init(plainHTTP: .loopbackOnly)).send(
                try Endpoint("\(site.origin)/plusauth/jane/invitation").request(.get),
                body: Data())
            let command = try #require(
                ConsoleDevice.text(of: "command", in: String(decoding: page, as: UTF8.self)))
            #expect(!command.contains("curl"))
            try await shell.setToken()
            let (end, shown) = try await shell.run(command)
            #expect(end.code == 0, "\(command)\n\(shown)")
        } catch {
            await site.stop()
            throw error
        }
        await site.stop()
    }

    @Test(arguments: [
        "plain", "a b", "it's", "\"", "$(touch x)", "`x`", "a\\", "!!", "*", "~", "#x", "a&b;c|d",
        "line\nline", "", "ä漢", "'", "''", "{a,b}", "<>", "a=b", "%41",
    ])
    func `a quoted word is to a shell what it was`(word: String) async throws {
        let result = try await Program(at: URL(fileURLWithPath: "/usr/bin/env"))
            .run(["bash", "-c", "printf %s. \(EnrollmentCommand.quoted(word))"])
        #expect(result.output == word + ".")
    }

    @Test func `an invitation's password is a variable, as no argument may be a secret`() {
        let command = EnrollmentCommand(
            by: .credentials(user: "jane o'neill", password: Secret("a'b".utf8)),
            configuredBy: .file("/lab/pushauth.toml"))
        #expect(
            command.text == """
                PASSWORD='a'\\''b' pushauth enroll --config /lab/pushauth.toml \
                --user 'jane o'\\''neill' --password-env PASSWORD
                """)
    }

    // MARK: The picture

    @Test(
        .enabled(if: QRReader.isPresent),
        arguments: ConsoleInvitationTests.vendors.filter { $0 != "onespan" })
    func `another program reads the QR code of the longest name`(vendor: String) async throws {
        try await ConsoleDevice.run { world in
            let user = String(repeating: "a-long.name_of-64-", count: 4).prefix(64)
            #expect(try await world.post("/users", "user=\(user)").status == 303)
            let page = try await world.get("/\(vendor)/\(user)/invitation").text
            let text = try #require(ConsoleDevice.text(of: "invitation", in: page))
            #expect(try await QRReader.read(svg: page) == text)
        }
    }

    // MARK: The button

    @Test(.enabled(if: Browser.isPresent))
    func `the button copies the command, and a page without scripts has no button`() async throws {
        try await ConsoleDevice.run { world in
            let page = try await world.get("/xignin/jane/invitation").text
            #expect(page.contains("data-copies=\"command\" hidden>"))
            let browser = try await Browser.start()
            do {
                try await browser.open("\(world.site.origin)/xignin/jane/invitation")
                let command = try await browser.text(of: "#command")
                try await browser.click("#copy")
                try await browser.wait(
                    for: "the copy",
                    "return document.getElementById('copied').textContent === 'Copied.'")
                try await browser.evaluate(
                    """
                    const box = document.createElement('textarea');
                    box.id = 'paste';
                    document.body.append(box);
                    """)
                try await browser.type("\u{E009}v\u{E000}", into: "#paste")
                let pasted = try await browser.evaluate(
                    "return document.getElementById('paste').value")
                #expect(pasted.string == command)
                #expect(command.contains("pushauth enroll --config"))
            } catch {
                await browser.close()
                throw error
            }
            await browser.close()
        }
    }
}

/// A person's shell: a home of its own, `pushauth` in the path, and a terminal to ask at.
private struct Shell {
    static let token = "a-token-of-a-shell"

    private let home: TemporaryDirectory

    var directory: URL { home.url }

    init() throws {
        home = try TemporaryDirectory()
    }

    func remove() { home.remove() }

    private var environment: [String: String] {
        let programs = Program("pushauth").executable.deletingLastPathComponent().path
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        return [
            "HOME": home.url.path, "XDG_DATA_HOME": home.url.path + "/data",
            "XDG_CONFIG_HOME": home.url.path + "/config", "PATH": "\(programs):\(path)",
        ]
    }

    func setToken() async throws {
        let result = try await Program("pushauth").run(
            ["token", "set", "--fcm", Self.token], environment: environment)
        try #require(result.exitCode == 0, "\(result.errors)")
    }

    /// Runs a command, and says yes to what it asks.
    func run(_ command: String) async throws -> (ChildProcess.End, shown: String) {
        let terminal = try PseudoTerminal()
        let end = try await terminal.run(
            shell: command, in: home.url, environment: environment,
            answers: ["Join it? [y/N] ": "y", "PIN: ": "24680", "The same again: ": "24680"])
        return (end, terminal.shown)
    }
}
