import CryptoExtras
import Foundation
import LocalServer
import PushCore
import PushTesting
import Testing

@testable import pushauth

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
            _ = try directory.serverIdentity(for: "127.0.0.1")
            let names = try FileManager.default.contentsOfDirectory(atPath: directory.directory)
            #expect(
                Set(names) == [
                    "service-account.json", "apns.json", "AuthKey.p8", "http-secret",
                    "authority.pem", "server.pem",
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
            _ = try again.serverIdentity(for: "127.0.0.1")
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
            #expect(throws: Failure.self) { try directory.serverIdentity(for: "127.0.0.1") }
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

    @Test func `another host gets another certificate, and one that is about to end is renewed`()
        async throws
    {
        try await inDirectory { directory in
            let first = try directory.serverIdentity(for: "127.0.0.1").certificatesPEM
            #expect(try directory.serverIdentity(for: "127.0.0.1").certificatesPEM == first)
            let other = try directory.serverIdentity(for: "::1")
            #expect(try other.certificatesPEM != first)
            #expect(other.isValid(for: "::1", at: .now))
            #expect(!other.isValid(for: "127.0.0.1", at: .now))
            let ending = try LocalAuthority()
            defer { ending.removeFile() }
            let identity = try ending.identity(for: "::1", lifetime: -3600...3600)
            try PrivateFile(path: directory.path(.server)).write(
                Data("\(try identity.keyPEM)\n\(try identity.certificatesPEM)\n".utf8))
            let renewed = try directory.serverIdentity(for: "::1")
            #expect(try renewed.certificatesPEM != identity.certificatesPEM)
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
                #expect(now.chosen == chosen)
                #expect(now.fcm == tokens.fcm)
                switch chosen {
                case .fcm: #expect(now.fcmToken(for: "one", random: random) == "mine")
                default: #expect(now.apnsToken(random: random) == "abcd")
                }
            }
            try file.choose(nil)
            #expect(try file.read() == tokens)
        }
    }
}
