import CryptoExtras
import Foundation
import LocalServer
import PushCore
import PushTesting
import Testing

@testable import PushAuthCommand

struct CredentialsTests {
    private let random = SeededRandom(seed: 3)

    private func inDirectory(
        _ test: (CredentialsDirectory) async throws -> Void
    ) async throws {
        let parent = try TemporaryDirectory()
        defer { parent.remove() }
        try await test(
            try CredentialsDirectory(parent.url.appendingPathComponent("new").path))
    }

    private func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    @Test func `everything is made once, for its owner alone, and used again`() async throws {
        try await inDirectory { directory in
            let account = try await directory.serviceAccount(random: random)
            try directory.keep(account, tokenURL: "http://127.0.0.1:1/token")
            let key = try directory.providerKey(random: random)
            try directory.keep(key, url: "https://127.0.0.1:2")
            let secret = try directory.httpSecret(random: random)
            let made = try await directory.identities(for: "127.0.0.1", key)
            try directory.keep(Data(made.authority.utf8), in: .authority)
            let names = try FileManager.default.contentsOfDirectory(atPath: directory.directory)
            #expect(
                Set(names) == [
                    "service-account.json", "apns.json", "AuthKey.p8", "http-secret",
                    "authority.pem", "server.pem", "apns-client.pem",
                ])
            for name in names { #expect(try mode("\(directory.directory)/\(name)") == 0o600) }
            #expect(try mode(directory.directory) == 0o700)
            let before = try names.map {
                try Data(contentsOf: URL(fileURLWithPath: "\(directory.directory)/\($0)"))
            }

            let again = try CredentialsDirectory(directory.directory)
            try again.keep(
                try await again.serviceAccount(random: random),
                tokenURL: "http://127.0.0.1:1/token")
            try again.keep(try again.providerKey(random: random), url: "https://127.0.0.1:2")
            #expect(try again.httpSecret(random: random).isEqualInConstantTime(to: secret))
            let known = try await again.identities(for: "127.0.0.1", key)
            try again.keep(Data(known.authority.utf8), in: .authority)
            let after = try names.map {
                try Data(contentsOf: URL(fileURLWithPath: "\(directory.directory)/\($0)"))
            }
            #expect(before == after)
        }
    }

    @Test func `a new port is written, and the key stays`() async throws {
        try await inDirectory { directory in
            let account = try await IntakeFixture.account
            try directory.keep(account, tokenURL: "http://127.0.0.1:1/token")
            try directory.keep(account, tokenURL: "http://127.0.0.1:2/token")
            let file = try Data(
                contentsOf: URL(fileURLWithPath: directory.path(.serviceAccount)))
            let json = try JSON(parsing: file)
            #expect(json["token_uri"] == "http://127.0.0.1:2/token")
            #expect(json["private_key"]?.string == account.key.pkcs8PEMRepresentation)
            #expect(json["private_key"]?.string?.hasPrefix("-----BEGIN PRIVATE KEY-----") == true)
        }
    }

    @Test func `a topic that was written into apns.json is kept`() async throws {
        try await inDirectory { directory in
            let key = try directory.providerKey(random: random)
            try directory.keep(key, url: "https://x")
            let file = URL(fileURLWithPath: directory.path(.apns))
            var json = try JSON(parsing: Data(contentsOf: file)).object ?? [:]
            json["topic"] = "com.example.bank"
            try PrivateFile(path: file.path).write(JSON.object(json).data)
            #expect(try directory.providerKey(random: random).topic == "com.example.bank")
        }
    }

    @Test(arguments: [0o640, 0o604, 0o620])
    func `a file that others may read or write is refused`(_ mode: Int) async throws {
        try await inDirectory { directory in
            _ = try directory.httpSecret(random: random)
            let path = directory.path(.httpSecret)
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
            let failure = #expect(throws: Failure.self) {
                try directory.httpSecret(random: random)
            }
            #expect(failure?.status == .store)
            #expect(failure?.text.contains(path) == true)
            #expect(failure?.advice?.contains("chmod 600") == true)
        }
    }

    @Test func `a link, a directory and a damaged file are refused`() async throws {
        try await inDirectory { directory in
            let elsewhere = directory.directory + "/elsewhere"
            try PrivateFile(path: elsewhere).write(Data("0123456789abcdef".utf8))
            let path = directory.path(.httpSecret)
            try FileManager.default.createSymbolicLink(
                atPath: path, withDestinationPath: elsewhere)
            #expect(throws: Failure.self) { try directory.httpSecret(random: random) }
            try FileManager.default.removeItem(atPath: path)
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: false)
            #expect(throws: Failure.self) { try directory.httpSecret(random: random) }
            for file in [CredentialsDirectory.File.serviceAccount, .apns, .server] {
                try PrivateFile(path: directory.path(file)).write(Data("{}".utf8))
            }
            await #expect(throws: Failure.self) {
                try await directory.serviceAccount(random: random)
            }
            #expect(throws: Failure.self) { try directory.providerKey(random: random) }
            for file in [CredentialsDirectory.File.server, .apnsClient] {
                try PrivateFile(path: directory.path(.apnsClient)).write(Data("{}".utf8))
                let failure = await #expect(throws: Failure.self) {
                    try await directory.identities(for: "127.0.0.1", Self.key)
                }
                #expect(failure?.text.contains(directory.path(file)) == true)
                // For the second round: a server's that is good.
                try FileManager.default.removeItem(atPath: directory.path(.apnsClient))
                _ = try await directory.identities(for: "127.0.0.1", Self.key)
            }
        }
    }

    @Test(arguments: ["", "short", "0123456789abcde", "0123456789 abcdef", "0123456789abcdeé"])
    func `a secret that is too short, or that no header carries, is refused`(
        _ text: String
    ) async throws {
        try await inDirectory { directory in
            try PrivateFile(path: directory.path(.httpSecret)).write(Data(text.utf8))
            let failure = #expect(throws: Failure.self) {
                try directory.httpSecret(random: random)
            }
            #expect(text.isEmpty || failure?.text.contains(text) == false)
        }
    }

    private static let key = key()

    private static func key(topic: String = "com.example.a", team: String = "T") -> ProviderKey {
        ProviderKey(keyID: "K", teamID: team, topic: topic, key: .init())
    }

    @Test func `another host, topic or team gets other certificates`() async throws {
        try await inDirectory { directory in
            func certificates(
                _ host: String = "127.0.0.1", _ key: ProviderKey = Self.key
            ) async throws -> [String] {
                let made = try await directory.identities(for: host, key)
                #expect(made.server.isValid(for: host, at: .now))
                let client = try #require(made.client.clientCertificate)
                #expect(client.userID == key.topic && client.unit == key.teamID)
                #expect(await made.trust.vouches(for: client))
                return [try made.server.certificatesPEM, try made.client.certificatesPEM]
            }
            let first = try await certificates()
            #expect(try await certificates() == first)
            var all = Set(first)
            for (host, key) in [
                ("::1", Self.key), ("127.0.0.1", Self.key(topic: "com.example.b")),
                ("127.0.0.1", Self.key(team: "U")),
            ] {
                all.formUnion(try await certificates(host, key))
            }
            #expect(all.count == 8)
            try FileManager.default.removeItem(atPath: directory.path(.apnsClient))
            all.formUnion(try await certificates("127.0.0.1", Self.key(team: "U")))
            #expect(all.count == 10)
        }
    }

    /// For how much longer the server's certificate and the client's are good, in seconds, and
    /// whether that is long enough.
    @Test(
        arguments: [
            (172_800, 172_800, true), (3600, 172_800, false), (172_800, 3600, false),
        ] as [(TimeInterval, TimeInterval, Bool)])
    func `certificates are renewed before one ends`(
        _ server: TimeInterval, _ client: TimeInterval, _ isKept: Bool
    ) async throws {
        try await inDirectory { directory in
            let authority = try LocalAuthority(lifetime: 172_800)
            defer { authority.removeFile() }
            let servers = try authority.identity(for: "::1", lifetime: -3600...server)
            let clients = try authority.clientIdentity(
                userID: "com.example.a", unit: "T", lifetime: -3600...client)
            try PrivateFile(path: directory.path(.server)).write(
                Data(
                    """
                    \(try servers.keyPEM)
                    \(try servers.certificatesPEM)
                    \(try authority.certificatePEM)
                    """.utf8))
            try PrivateFile(path: directory.path(.apnsClient)).write(
                Data("\(try clients.certificatesPEM)\n\(try clients.keyPEM)\n".utf8))
            let now = try await directory.identities(for: "::1", Self.key)
            let isSame = try (
                now.server.certificatesPEM.hasPrefix(servers.certificatesPEM),
                now.client.certificatesPEM == clients.certificatesPEM
            )
            #expect(isSame == (isKept, isKept))
        }
    }

    @Test func `a client's certificate by another authority is made again`() async throws {
        try await inDirectory { directory in
            _ = try await directory.identities(for: "::1", Self.key)
            let other = try LocalAuthority(lifetime: 172_800)
            defer { other.removeFile() }
            let stranger = try other.clientIdentity(
                userID: "com.example.a", unit: "T", lifetime: -3600...172_800)
            try PrivateFile(path: directory.path(.apnsClient)).write(
                Data("\(try stranger.certificatesPEM)\n\(try stranger.keyPEM)\n".utf8))
            let now = try await directory.identities(for: "::1", Self.key)
            #expect(try now.client.certificatesPEM != stranger.certificatesPEM)
            #expect(await now.trust.vouches(for: try #require(now.client.clientCertificate)))
        }
    }

    @Test func `a token that an earlier version kept as set by hand still is`() async throws {
        try await inDirectory { directory in
            let store = directory.directory + "/store"
            let path = store + ".tokens.json"
            try Data(#"{"chosen":{"kind":"fcm","token":"mine"}}"#.utf8)
                .write(to: URL(fileURLWithPath: path))
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
            let file = DeviceTokenFile(besides: store)
            #expect(try file.read().chosen == [.fcm: .fcm("mine")])
            try file.choose(.apns(hex: "abcd", isSandbox: true))
            #expect(
                try file.read().chosen == [
                    .fcm: .fcm("mine"), .apns: .apns(hex: "abcd", isSandbox: true),
                ])
        }
    }

    @Test func `device tokens are kept, and one that was set by hand comes first`() async throws {
        try await inDirectory { directory in
            let file = DeviceTokenFile(besides: directory.directory + "/store")
            #expect(try file.read() == DeviceTokenFile.Tokens())
            var tokens = DeviceTokenFile.Tokens()
            tokens.fcm = tokens.fcmToken(for: "one", random: random)
            tokens.apns = tokens.apnsToken(random: random)
            #expect(tokens.apns?.utf8.count == 64)
            try file.write(tokens)
            #expect(try mode(directory.directory + "/store.tokens.json") == 0o600)
            let kept = try file.read()
            #expect(kept == tokens)
            #expect(kept.fcmToken(for: "one", random: random) == tokens.fcm)
            #expect(kept.fcmToken(for: "two", random: random) != tokens.fcm)
            #expect(kept.apnsToken(random: random) == tokens.apns)
            for chosen in [
                DeviceToken.fcm("mine"), .apns(hex: "abcd", isSandbox: true),
                .apns(hex: "abcd", isSandbox: false),
            ] {
                try file.choose(chosen)
                let now = try file.read()
                #expect(now.chosen[chosen.service] == chosen)
                #expect(now.fcm == tokens.fcm)
                switch chosen {
                case .fcm: #expect(now.fcmToken(for: "one", random: random) == "mine")
                case .apns: #expect(now.apnsToken(random: random) == "abcd")
                @unknown default: Issue.record("Another token: \(chosen)")
                }
            }
            #expect(
                try file.read().chosen == [
                    .fcm: .fcm("mine"), .apns: .apns(hex: "abcd", isSandbox: false),
                ])
            try file.choose(nil)
            #expect(try file.read() == tokens)
        }
    }
}
