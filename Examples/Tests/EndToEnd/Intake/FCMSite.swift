import Foundation
import LocalServer
import PushCore
import Testing

@testable import PushAuthCommand

/// An FCM intake that listens, and a sender that has its key file, curl and openssl.
struct FCMSite {
    /// The device token that it takes.
    static let token = "device"

    /// The key of access tokens is the first thing that the intake draws.
    private struct FixedRandom: RandomSource {
        func fill(_ buffer: UnsafeMutableRawBufferPointer) {
            for index in buffer.indices { buffer[index] = 7 }
        }
    }

    struct Reply {
        let status: Int
        let body: JSON?
    }

    /// What the intake says of itself.
    let place: JSON.Object
    let pushes: Recorder
    private let directory: URL
    private let account: JSON

    /// Runs a test with an intake that listens, and ends it after.
    static func listen(_ test: (FCMSite) async throws -> Void) async throws {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        let credentials = try CredentialsDirectory(directory.url.path)
        let address = try #require(IntakeAddress(argument: "127.0.0.1:0"))
        let intake = FCMIntake(
            IntakeServer(address: address, identity: nil), credentials: credentials,
            account: try await IntakeFixture.account, token: token, random: FixedRandom())
        let pushes = Recorder()
        let place = try await intake.start(pushes.taker)
        do {
            let file = URL(fileURLWithPath: credentials.path(.serviceAccount))
            let account = try JSON(parsing: Data(contentsOf: file))
            try Data((account["private_key"]?.string ?? "").utf8)
                .write(to: directory.url.appendingPathComponent("key.pem"))
            try await test(
                FCMSite(place: place, pushes: pushes, directory: directory.url, account: account))
            await intake.stop()
        } catch {
            await intake.stop()
            throw error
        }
    }

    // MARK: Access tokens

    private var tokens: AccessTokens {
        AccessTokens(key: Secret(Array(repeating: 7, count: 32)))
    }

    var freshToken: String { tokens.make(.messaging, at: .now) }
    var expiredToken: String { tokens.make(.messaging, at: .now - 7200) }

    /// What the token endpoint says to an assertion that openssl signed.
    func grant(
        for audience: String? = nil,
        scope: String = "https://www.googleapis.com/auth/firebase.messaging"
    ) async throws -> Reply {
        let now = Int64(Date.now.timeIntervalSince1970)
        let claims: JSON = [
            "iss": account["client_email"] ?? nil, "scope": .string(scope),
            "aud": audience.map { .string($0) } ?? account["token_uri"] ?? nil,
            "iat": .number(.init(now)), "exp": .number(.init(now + 3600)),
        ]
        let header: JSON = ["alg": "RS256", "typ": "JWT", "kid": account["private_key_id"] ?? nil]
        let signed = "\(header.data.base64URL).\(claims.data.base64URL)"
        try Data(signed.utf8).write(to: directory.appendingPathComponent("signed"))
        try await OpenSSL(directory: directory).run(
            "dgst", "-sha256", "-sign", "key.pem", "-out", "signature", "signed")
        let signature = try Data(contentsOf: directory.appendingPathComponent("signature"))
        return try await curl([
            "--data-urlencode", "grant_type=urn:ietf:params:oauth:grant-type:jwt-bearer",
            "--data-urlencode", "assertion=\(signed).\(signature.base64URL)",
            account["token_uri"]?.string ?? "",
        ])
    }

    func accessToken(
        for audience: String? = nil,
        scope: String = "https://www.googleapis.com/auth/firebase.messaging"
    ) async throws -> String {
        let reply = try await grant(for: audience, scope: scope)
        return try #require(reply.body?["access_token"]?.string, "\(reply)")
    }

    // MARK: Messages

    /// What `messages:send` says to a message.
    func send(_ message: JSON, with token: String) async throws -> Reply {
        let body: JSON = ["message": message]
        return try await curl([
            "--header", "Authorization: Bearer \(token)", "--header",
            "Content-Type: application/json", "--data-binary", body.text,
            place["url"]?.string ?? "",
        ])
    }

    private func curl(_ arguments: [String]) async throws -> Reply {
        let result = try await Program(at: URL(fileURLWithPath: "/usr/bin/env")).run(
            ["curl", "--silent", "--show-error", "--write-out", "\n%{http_code}"] + arguments)
        let lines = result.output.split(separator: "\n", omittingEmptySubsequences: false)
        let status = try #require(lines.last.flatMap { Int($0) }, "\(result.errors)")
        return Reply(
            status: status, body: try? JSON(parsing: lines.dropLast().joined(separator: "\n")))
    }
}
