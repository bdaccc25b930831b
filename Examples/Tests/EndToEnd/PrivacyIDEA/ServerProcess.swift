import Foundation
import HTTPTypes
import LocalServer
import PushCore
import PushPlatform

@testable import push_lab

/// The real server, in a process of its own that ends with this one. All tests of a run share it, as it
/// takes a quarter of a minute to start.
actor ServerProcess {
    struct Failure: Error, CustomStringConvertible {
        let description: String

        init(_ description: String) {
            self.description = description
        }
    }

    /// What the process says once it accepts requests.
    struct Ready: Sendable {
        let origin: String
        let version: String
        let log: URL
        fileprivate let administrator: String
        fileprivate let password: String
    }

    static let running = Task { try await ServerProcess.start(PrivacyIDEARelease.chosen) }

    /// `Examples`.
    private static let examples = URL(fileURLWithPath: #filePath)
        .appendingPathComponent("../../../..").standardizedFileURL

    nonisolated let authority: LocalAuthority
    nonisolated let directory: URL
    nonisolated let release: PrivacyIDEARelease
    nonisolated let sink = PushSink()
    private let child: ChildProcess
    private let input: FileHandle
    private let transport: SystemTransport
    private var said: [JSON] = []
    private var listener: CheckedContinuation<JSON, any Error>?
    private var hasEnded = false
    private var token: String?
    private(set) var ready: Ready

    // MARK: Start

    private static func start(_ release: PrivacyIDEARelease) async throws -> ServerProcess {
        let name = release == .v314 ? "privacyidea" : "privacyidea-\(release.rawValue)"
        let python = examples.appendingPathComponent(".build/\(name)/bin/python")
        guard FileManager.default.isExecutableFile(atPath: python.path) else {
            throw Failure("The real privacyIDEA isn't installed: run `.ci/python` first.")
        }
        let server = try ServerProcess(python, release)
        try await server.begin()
        return server
    }

    private init(_ python: URL, _ release: PrivacyIDEARelease) throws {
        // What is written to a process that has just ended is lost, and no reason to end.
        signal(SIGPIPE, SIG_IGN)
        self.release = release
        directory = FileManager.default.temporaryDirectory
            .appendingPathComponent("privacyidea-\(UUID().uuidString)", isDirectory: true)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        authority = try LocalAuthority()
        let identity = try authority.identity()
        let files = [
            "authority.pem": try authority.certificatePEM,
            "certificate.pem": try identity.certificatesPEM, "key.pem": try identity.keyPEM,
            "requests.log": "",
        ]
        for (name, text) in files {
            try Data(text.utf8).write(to: directory.appendingPathComponent(name))
        }
        // The process takes the directory away when it ends.
        authority.removeFile()
        let trusted = directory.appendingPathComponent("authority.pem").path
        transport = SystemTransport(.init(certificateAuthorities: .file(trusted)))
        let (toChild, fromChild) = (Pipe(), Pipe())
        child = try ChildProcess(
            python,
            [
                Self.examples.appendingPathComponent("Tests/PrivacyIDEAServer/server.py").path,
                "--state", directory.path,
                "--certificate", directory.appendingPathComponent("certificate.pem").path,
                "--key", directory.appendingPathComponent("key.pem").path, "--users",
            ] + Scenario.users,
            streams: (
                toChild.fileHandleForReading, fromChild.fileHandleForWriting,
                try FileHandle(forWritingTo: directory.appendingPathComponent("requests.log"))
            ))
        input = toChild.fileHandleForWriting
        ready = Ready(
            origin: "", version: "", log: directory, administrator: "", password: "")
        let output = fromChild.fileHandleForReading
        Task {
            for await line in Lines.stream(from: output) { await take(line) }
            await end()
        }
    }

    private func begin() async throws {
        try await readReady()
        try await sink.start(accountFile: directory.appendingPathComponent("account.json"))
        try await pushToSink()
        try await setUpGateways(at: await sink.origin)
    }

    private func readReady() async throws {
        let line = try await nextLine()
        ready = Ready(
            origin: try line.text("url"), version: try line.text("version"),
            log: URL(fileURLWithPath: try line.text("log")),
            administrator: try line.text("administrator"), password: try line.text("password"))
    }

    private func setUpGateways(at address: String) async throws {
        let account = directory.appendingPathComponent("account.json").path
        try await defineFirebaseGateway("firebase", account: account)
        guard release >= .v314 else { return }
        try await defineHTTPGateway("http", url: address + "/push")
    }

    /// Defines a gateway that sends to Firebase, wherever that is just now.
    func defineFirebaseGateway(_ name: String, account: String) async throws {
        try await call(
            .post, "/smsgateway",
            [
                "name": .string(name),
                "module": "privacyidea.lib.smsprovider.FirebaseProvider.FirebaseProvider",
                "option.JSON config file": .string(account),
            ])
    }

    /// Defines a gateway that posts a device token, and the fields of a challenge.
    func defineHTTPGateway(
        _ name: String, url: String, token: String = "token", data: String = "data",
        more options: JSON.Object = [:]
    ) async throws {
        var body: JSON.Object = [
            "name": .string(name),
            "module": "privacyidea.lib.smsprovider.HttpSMSProvider.HttpSMSProvider",
            "option.URL": .string(url), "option.HTTP_METHOD": "POST",
            "option.SEND_DATA_AS_JSON": "yes", "option.ALLOW_PUSH": "yes", "option.TIMEOUT": "5",
        ]
        body["option.\(token)"] = "{phone}"
        body["option.\(data)"] = "{message}"
        for member in options.members { body[member.name] = member.value }
        try await call(.post, "/smsgateway", .object(body))
    }

    // MARK: The process

    /// Says something to the process, and returns its reply.
    @discardableResult
    func order(_ line: String) async throws -> JSON {
        try input.write(contentsOf: Data((line + "\n").utf8))
        return try await nextLine()
    }

    /// Ends it as a crash would, and returns once it accepts requests again.
    func restart() async throws {
        try input.write(contentsOf: Data("restart\n".utf8))
        try await readReady()
        try await pushToSink()
    }

    /// Lets the Firebase gateway send where the tests look.
    func pushToSink() async throws {
        try await order("firebase \(await sink.origin)")
    }

    private func nextLine() async throws -> JSON {
        if !said.isEmpty { return said.removeFirst() }
        guard !hasEnded else { throw lastWords }
        return try await withCheckedThrowingContinuation { listener = $0 }
    }

    private func take(_ line: String) {
        guard let json = try? JSON(parsing: line) else { return }
        guard let listener else { return said.append(json) }
        self.listener = nil
        listener.resume(returning: json)
    }

    private func end() {
        hasEnded = true
        listener?.resume(throwing: lastWords)
        listener = nil
    }

    private var lastWords: Failure {
        let file = directory.appendingPathComponent("requests.log")
        let words = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
        return Failure("The real privacyIDEA has ended: \(words.suffix(2000))")
    }

    // MARK: REST

    /// Calls the server's API, as its administrator.
    ///
    /// - Returns: The whole reply.
    /// - Throws: ``Failure`` for any status but 200.
    @discardableResult
    func call(
        _ method: HTTPRequest.Method, _ path: String, _ body: JSON? = nil
    ) async throws -> JSON {
        if token == nil {
            let reply = try await send(
                .post, "/auth",
                [
                    "username": .string(ready.administrator), "password": .string(ready.password),
                ])
            token = reply["result"]?["value"]?["token"]?.string
        }
        return try await send(method, path, body)
    }

    private func send(
        _ method: HTTPRequest.Method, _ path: String, _ body: JSON?
    ) async throws -> JSON {
        guard let url = URL(string: ready.origin), let host = url.host, let port = url.port else {
            throw Failure("The server is nowhere: \(ready.origin)")
        }
        var fields = HTTPFields()
        if body != nil { fields[.contentType] = "application/json" }
        if let token { fields[.authorization] = token }
        let request = HTTPRequest(
            method: method, scheme: "https", authority: "\(host):\(port)", path: path,
            headerFields: fields)
        let (response, data) = try await transport.send(request, body: body?.data ?? Data())
        guard response.status == .ok else {
            let words = String(decoding: data, as: UTF8.self)
            throw Failure("\(method) \(path): \(response.status.code) \(words)")
        }
        return try JSON(parsing: data)
    }
}
