import Foundation
import IndependentEncodings
import PushCore
import PushKeycloakSimulator
import PushTesting
import Testing

/// What the clients of the extension's maker send, played against the simulator: its device scripts,
/// its mobile mock, and its simulator's page and backend. The files name their sources.
@Suite struct ExchangeTests {
    private static let names = [
        "scripts-rsa", "scripts-ec", "mock-mobile", "simulator-backend", "simulator-page",
    ]

    @Test(arguments: names)
    func `the simulator takes what the maker's own client sends`(name: String) async throws {
        let file = try #require(Bundle.module.resourceURL).appending(path: "Vectors/\(name).json")
        let vectors = try JSON(parsing: Data(contentsOf: file), limits: .init(bytes: 1 << 20))
        let source = [vectors["repository"], vectors["commit"], vectors["paths"]?.array?.first]
        #expect(source.allSatisfy { $0?.string?.isEmpty == false })
        var player = try ExchangePlayer(vectors, at: Bench())
        for step in try #require(vectors["steps"]?.array) { try await player.play(step) }
        #expect(player.played > 10)
    }

    @Test func `an address may have a coordinate without its leading zero`() throws {
        let file = try #require(Bundle.module.resourceURL)
            .appending(path: "Vectors/scripts-ec.json")
        let values = try JSON(parsing: Data(contentsOf: file))["values"]
        let lengths = ["jwk", "newJwk"].map { values?[$0]?["x"]?.string?.utf8.count ?? 0 }
        // 32 and 66 bytes are 43 and 88 characters.
        #expect(lengths[0] < 43 && lengths[1] < 88)
    }
}

/// Plays the steps of one client, one after the other.
private struct ExchangePlayer {
    private let bench: Bench
    private let keys: [String: TestKey]
    private var values: [String: JSON]
    private var login: SimulatedLogin?
    private(set) var played = 0

    init(_ vectors: JSON, at bench: Bench) throws {
        self.bench = bench
        var keys: [String: TestKey] = [:]
        for member in vectors["keys"]?.object?.members ?? [] {
            keys[member.name] = try TestKey(stored: member.value)
        }
        self.keys = keys
        let members = vectors["values"]?.object?.members ?? []
        values = Dictionary(uniqueKeysWithValues: members.map { ($0.name, $0.value) })
    }

    mutating func play(_ step: JSON) async throws {
        if let preparation = step["do"]?.string {
            try await prepare(preparation)
        } else if let end = step["expect"]?.string {
            let login = try #require(login)
            #expect("\(try await bench.server.status(of: login.id))" == end)
        } else {
            try await exchange(step)
        }
    }

    private mutating func prepare(_ what: String) async throws {
        switch what {
        case "invite": try read(await bench.invited().text)
        case "invite by reference":
            await bench.server.configure { $0.usesRequestURI = true }
            let code = try await bench.server.enrollmentCode(for: "jane")
            let items = try #require(URLComponents(string: code)?.queryItems)
            let path = URLComponents(string: items.first?.value ?? "")?.path
            values["requestPath"] = path.map(JSON.string)
        case "require no proof to enroll":
            await bench.server.configure { $0.requiresProofToEnroll = false }
        case "require no token hash":
            await bench.server.configure { $0.requiresTokenHash = false }
        case "log in", "log in with a number":
            let login = try await bench.start(what == "log in" ? .confirm : .number)
            values["cid"] = .string(login.id)
            values["shown"] = login.shown.map(JSON.string)
            self.login = login
        default: Issue.record("Nothing is called \(what).")
        }
    }

    private mutating func read(_ token: String) throws {
        values["enrollmentToken"] = .string(token)
        for name in ["enrollmentId", "nonce", "sub"] {
            values[name] = try ReadToken(token).claims[name]
        }
    }

    private mutating func exchange(_ step: JSON) async throws {
        let name = try #require(step["name"]?.string)
        let headers = try #require(step["headers"]?.object).members.map { member in
            (member.name, try #require(try filled(member.value).string))
        }
        let body = try step["json"].map { try filled($0).text } ?? step["body"]?.string ?? ""
        let reply = try await bench.send(
            step["method"]?.string ?? "", text(step["path"]?.string ?? ""), headers, body)
        #expect(reply.words == step["reply"]?.string, "\(name)")
        if let expected = step["members"] {
            let (wanted, came) = (try filled(expected), try #require(reply.json))
            #expect(Self.holds(came, wanted), "\(name): \(came.text)")
        }
        for member in step["keep"]?.object?.members ?? [] {
            values[member.name] = reply.json?[member.value.string ?? ""]
        }
        if step["read"] != nil { try read(String(decoding: reply.body, as: UTF8.self)) }
        played += 1
    }

    // MARK: Values

    /// A value with what stands in `<>` filled in, and what is to be signed signed.
    private func filled(_ json: JSON) throws -> JSON {
        switch json {
        case .string(let string):
            guard string.hasPrefix("<"), string.hasSuffix(">") else {
                return .string(try text(string))
            }
            return try value(String(string.dropFirst().dropLast()))
        case .array(let elements): return .array(try elements.map(filled))
        case .object(let object):
            guard let key = object["jws"]?.string else {
                return .object(
                    JSON.Object(try object.members.map { ($0.name, try filled($0.value)) }))
            }
            let parts = try ["header", "claims"].map { name in
                try #require(try filled(object[name] ?? .null).object)
            }
            return .string(try #require(keys[key]).jws(parts[0], parts[1]))
        default: return json
        }
    }

    private func value(_ name: String) throws -> JSON {
        let now = Int64(bench.clock.now.timeIntervalSince1970)
        if name == "uuid" { return .string(UUID().uuidString.lowercased()) }
        if name == "ath" {
            return .string(base64url(sha256(try value("accessToken").string ?? "")))
        }
        if name.hasPrefix("now") { return .integer(now + (Int64(name.dropFirst(3)) ?? 0)) }
        return try filled(try #require(values[name], "Nothing is known as \(name)."))
    }

    /// A text with the texts that stand in `<>`.
    private func text(_ template: String) throws -> String {
        try template.split(separator: "<", omittingEmptySubsequences: false).enumerated()
            .map { index, part in
                guard index > 0 else { return String(part) }
                let halves = part.split(
                    separator: ">", maxSplits: 1, omittingEmptySubsequences: false)
                let found = try #require(try value(String(halves[0])).string)
                return found + halves[1]
            }.joined()
    }

    /// Whether all that is wanted is there; there may be more.
    private static func holds(_ json: JSON, _ wanted: JSON) -> Bool {
        switch (json, wanted) {
        case (.object(let object), .object(let wanted)):
            wanted.members.allSatisfy { member in
                object[member.name].map { holds($0, member.value) } ?? false
            }
        case (.array(let elements), .array(let wanted)):
            elements.count == wanted.count
                && zip(elements, wanted).allSatisfy { holds($0, $1) }
        default: json == wanted
        }
    }
}
