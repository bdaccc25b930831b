import Foundation
import PushCore
import PushForgeRockSimulator
import PushTesting
import Testing

@testable import push_lab

/// `pushauth listen`, and clients of Google's and Apple's services as the package index has them.
///
/// `make python` installs them, and `make test` does so first. Without them, these tests fail: what
/// isn't tried isn't known to work.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct PythonClientTests {
    /// A token that could be somebody's, and isn't this device's.
    private static let other = String(repeating: "x", count: 152)

    @Test func `a login that Google's own client pushes arrives`() async throws {
        try await Self.listen(to: "fcm") { listening, place, login in
            guard case .fcm(let token) = login.deviceToken else {
                throw PythonClient.Failure("The vendor has another token: \(login)")
            }
            let members = try JSON(parsing: login.payload).object?.members ?? []
            let data = JSON.Object(
                members.map { ($0.name, .string($0.value.string ?? $0.value.text)) })
            let replies = try await Self.sendByFirebase(
                [["token": .string(token), "data": .object(data)]], to: place)
            #expect(replies.count == 1)
            #expect(
                replies[0]["name"]?.string?.hasPrefix(
                    "projects/\(place["project"]?.string ?? "")/messages/") == true)
            let received = try await listening.event("received")
            #expect(received["intake"] == "fcm" && received["events"] == 1)
        }
    }

    @Test func `Google's own client sends many at once, and by the installation's ID`()
        async throws
    {
        try await Self.listen(to: "fcm") { listening, place, login in
            guard case .fcm(let token) = login.deviceToken else {
                throw PythonClient.Failure("The vendor has another token: \(login)")
            }
            let fid = try #require(place["fid"])
            let messages = (0..<10).map { number -> JSON in
                let data: JSON = ["n": .string("\(number)")]
                return number.isMultiple(of: 2)
                    ? ["fid": fid, "data": data] : ["token": .string(token), "data": data]
            }
            let replies = try await Self.sendByFirebase(messages, to: place)
            #expect(replies.count == 10 && replies.allSatisfy { $0["name"] != nil })
            try await listening.events(10, named: "foreign")
        }
    }

    @Test func `Google's own client gives its exceptions for what FCM refuses`() async throws {
        try await Self.listen(to: "fcm") { listening, place, login in
            guard case .fcm(let token) = login.deviceToken else {
                throw PythonClient.Failure("The vendor has another token: \(login)")
            }
            let messages: [(JSON, String)] = [
                (["token": .string(Self.other)], "UnregisteredError"),
                (["token": .string(Self.ofAnotherProject)], "SenderIdMismatchError"),
                (["token": "no token"], "InvalidArgumentError"),
                (
                    ["token": .string(token), "data": ["gcm.n": "x"]], "InvalidArgumentError"
                ),
            ]
            let replies = try await Self.sendByFirebase(messages.map(\.0), to: place)
            let kinds = replies.map { $0["error"]?.string?.split(separator: ".").last ?? "none" }
            #expect(kinds.map(String.init) == messages.map(\.1))
            #expect(replies.last?["text"]?.string?.contains("message.data[0].key") == true)
            let intakes = await listening.events.compactMap { $0["intake"] }
            #expect(intakes.isEmpty)
        }
    }

    @Test func `a client of Apple's service sends many at once over one connection`()
        async throws
    {
        try await Self.listen(to: "apns") { listening, place, login in
            guard case .apns(let token, _) = login.deviceToken else {
                throw PythonClient.Failure("The vendor has another token: \(login)")
            }
            let genuine = try JSON(parsing: login.payload)
            let stranger = String(repeating: "ab", count: 32)
            var notifications: [JSON] = [
                ["token": .string(token), "payload": genuine],
                ["token": .string(stranger), "payload": genuine],
                ["token": "ab", "payload": genuine],
            ]
            notifications += (0..<10).map {
                ["token": .string(token), "payload": ["aps": [:], "n": .number(.init(Int64($0)))]]
            }
            let file = try #require(place["credentials"]?.string)
            let directory = URL(fileURLWithPath: file).deletingLastPathComponent()
            var replies = try await PythonClient("apns").run(
                [file], JSON.array(notifications).text,
                environment: [
                    "SSL_CERT_FILE": directory.appendingPathComponent("authority.pem").path
                ])
            #expect(replies.popLast()?["connections"] == 1)
            let results = replies.map { reply in
                [reply["status"], reply["reason"]].compactMap { $0?.string }
                    .joined(separator: " ")
            }
            #expect(results[0] == "200")
            #expect(results[1] == "410 Unregistered")
            #expect(results[2] == "400 BadDeviceToken")
            #expect(results.dropFirst(3).allSatisfy { $0 == "200" } && results.count == 13)
            let received = try await listening.event("received")
            #expect(received["intake"] == "apns" && received["events"] == 1)
            try await listening.events(10, named: "foreign")
        }
    }

    // MARK: Both sides

    /// What the mark of no project that this program makes could be.
    private static let ofAnotherProject =
        String(repeating: "A", count: 22) + ":" + String(repeating: "x", count: 128)

    private static func sendByFirebase(
        _ messages: [JSON], to place: JSON
    ) async throws -> [JSON] {
        try await PythonClient("fcm").run(
            [place["credentials"]?.string ?? "", place["url"]?.string ?? ""],
            JSON.array(messages).text)
    }

    /// Listens, and begins a login whose push isn't sent yet.
    private static func listen(
        to intake: String,
        _ test: (ListeningProcess, _ place: JSON, _ login: SimulatedPush) async throws -> Void
    ) async throws {
        let simulator = ForgeRockSimulator()
        try await PushAuthSite.run(with: simulator) { site in
            let listening = try ListeningProcess(
                ["--\(intake)", "127.0.0.1:0", "--credentials", site.directory.path + "/push"],
                environment: site.environment)
            do {
                let event = try await listening.event("listening")
                let place = try #require(event["intakes"]?[intake])
                let text = try #require(try await simulator.invitation(for: "jane").scannedText)
                let enrolled = try await site.pushauth("enroll", text, "--yes")
                try #require(enrolled.exitCode == 0, "\(enrolled.errors)")
                _ = try await simulator.startLogin(of: "jane", asking: .confirm)
                try await test(listening, place, try #require(await simulator.takePushes().first))
            } catch {
                await listening.kill()
                throw error
            }
            #expect(await listening.stop().code == 130)
        }
    }
}

/// A script of `Examples/Tests/PythonClients`, in the environment that `make python` makes.
struct PythonClient {
    struct Failure: Error, CustomStringConvertible {
        let description: String

        init(_ description: String) {
            self.description = description
        }
    }

    private static let examples = URL(fileURLWithPath: #filePath)
        .appendingPathComponent("../../../..").standardizedFileURL

    private let script: URL

    init(_ name: String) {
        script = Self.examples.appendingPathComponent("Tests/PythonClients/\(name).py")
    }

    /// The interpreter, and its arguments.
    func command(_ arguments: [String]) throws -> (URL, [String]) {
        let python = Self.examples.appendingPathComponent(".build/python/bin/python")
        guard FileManager.default.isExecutableFile(atPath: python.path) else {
            throw Failure("The Python clients aren't installed: run `make python` first.")
        }
        return (python, [script.path] + arguments)
    }

    /// - Returns: What it printed, a line each.
    func run(
        _ arguments: [String], _ input: String, environment: [String: String] = [:]
    ) async throws -> [JSON] {
        let (python, arguments) = try command(arguments)
        let result = try await Program(at: python).run(
            arguments, text: input, environment: environment)
        guard result.exitCode == 0 else { throw Failure(result.errors) }
        return try result.lines
    }
}

extension ListeningProcess {
    /// Waits until an event has come so many times.
    fileprivate func events(_ count: Int, named name: String) async throws {
        let start = ContinuousClock.now
        while await events.count(where: { $0["event"]?.string == name }) < count {
            guard start.duration(to: .now) < .seconds(30) else {
                throw PythonClient.Failure("Not \(count) of \(name): \(await events)")
            }
            try await Task.sleep(for: .milliseconds(50))
        }
    }
}
