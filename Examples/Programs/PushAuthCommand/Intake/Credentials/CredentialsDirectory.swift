import Crypto
import CryptoExtras
import Foundation
import PushCore
import PushJOSE

/// The directory with what servers need to send pushes here: made once, and used again.
struct CredentialsDirectory: Sendable {
    let directory: String

    enum File: String {
        /// A key file as Google's console makes it.
        case serviceAccount = "service-account.json"
        /// Where the APNs intake is, and the names of its key.
        case apns = "apns.json"
        /// The APNs key, as Apple's portal makes it.
        case apnsKey = "AuthKey.p8"
        /// A certificate that may send to the APNs intake, and its key.
        case apnsClient = "apns-client.pem"
        case httpSecret = "http-secret"
        /// The certificate that vouches for the intakes' server.
        case authority = "authority.pem"
        /// The server's own key and certificate, and that of its authority.
        case server = "server.pem"
    }

    init(_ directory: String) throws(Failure) {
        self.directory = URL(fileURLWithPath: directory).standardizedFileURL.path
        do {
            try FileManager.default.createDirectory(
                atPath: directory, withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
        } catch {
            throw Failure(.store, "The directory \(directory) can't be made.")
        }
    }

    func path(_ file: File) -> String { "\(directory)/\(file.rawValue)" }

    func read(_ file: File) throws(Failure) -> Data? {
        try PrivateFile(path: path(file)).read()
    }

    /// Writes a file unless it is so already.
    func keep(_ bytes: Data, in file: File) throws(Failure) {
        guard try read(file) != bytes else { return }
        try PrivateFile(path: path(file)).write(bytes)
    }

    func unreadable(_ file: File) -> Failure {
        Failure(
            .store, "The file \(path(file)) isn't one that pushauth can use.",
            advice: "Remove it: a new one is made. Servers then need the new one.")
    }
}

extension CredentialsDirectory {
    /// The secret of the HTTP intake.
    func httpSecret(random: any RandomSource) throws(Failure) -> Secret {
        if try read(.httpSecret) == nil {
            try keep(Data((random.hex(32) + "\n").utf8), in: .httpSecret)
        }
        return try Self.secret(in: PrivateFile(path: path(.httpSecret)))
    }

    /// A secret in a file of its own, without the line's end.
    static func secret(in file: PrivateFile) throws(Failure) -> Secret {
        let path = file.path
        guard let bytes = try file.read() else {
            throw Failure(.store, "There is no file \(path) with a secret.")
        }
        let text = String(decoding: bytes, as: UTF8.self)
            .trimmingCharacters(in: .whitespacesAndNewlines)
        guard text.utf8.count >= 16, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw Failure(
                .store, "The file \(path) holds no secret that a header can carry.",
                advice: "16 or more printable ASCII characters without spaces.")
        }
        return Secret(text.utf8)
    }

    /// The service account that may send to the FCM intake.
    func serviceAccount(random: any RandomSource) async throws(Failure) -> ServiceAccount {
        guard let bytes = try read(.serviceAccount) else {
            return try await ServiceAccount.make(random: random)
        }
        guard let account = ServiceAccount(bytes) else { throw unreadable(.serviceAccount) }
        return account
    }

    func keep(_ account: ServiceAccount, tokenURL: String) throws(Failure) {
        try keep(account.file(tokenURL: tokenURL), in: .serviceAccount)
    }

    /// The key whose owner may send to the APNs intake.
    func providerKey(random: any RandomSource) throws(Failure) -> ProviderKey {
        let (names, text) = (try read(.apns), try read(.apnsKey))
        guard names != nil || text != nil else {
            return ProviderKey(
                keyID: random.hex(5).uppercased(), teamID: random.hex(5).uppercased(),
                topic: ProviderKey.usualTopic, key: P256.Signing.PrivateKey())
        }
        guard let names, let json = try? JSON(parsing: names),
            let keyID = json["key_id"]?.string, let teamID = json["team_id"]?.string,
            let topic = json["topic"]?.string
        else { throw unreadable(.apns) }
        guard let text,
            let key = try? P256.Signing.PrivateKey(
                pemRepresentation: String(decoding: text, as: UTF8.self))
        else { throw unreadable(.apnsKey) }
        return ProviderKey(keyID: keyID, teamID: teamID, topic: topic, key: key)
    }

    func keep(_ key: ProviderKey, url: String) throws(Failure) {
        try keep(Data((key.key.pemRepresentation + "\n").utf8), in: .apnsKey)
        let names: JSON = [
            "url": .string(url), "key_id": .string(key.keyID), "team_id": .string(key.teamID),
            "topic": .string(key.topic), "key_file": .string(File.apnsKey.rawValue),
            "certificate_file": .string(File.apnsClient.rawValue),
        ]
        try keep(names.data, in: .apns)
    }
}

extension ServiceAccount {
    /// Makes a new one, of a new project unless one is given.
    @concurrent
    static func make(
        _ project: String? = nil, random: any RandomSource
    ) async throws(Failure) -> ServiceAccount {
        do {
            return ServiceAccount(
                project: project ?? "pushauth-\(random.hex(4))", keyID: random.hex(20),
                key: try _RSA.Signing.PrivateKey(keySize: .init(bitCount: RSAKeySize.smallest)))
        } catch {
            throw Failure(.failed, "No key for a service account could be made.")
        }
    }
}
