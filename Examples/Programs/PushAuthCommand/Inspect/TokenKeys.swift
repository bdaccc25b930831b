import Crypto
import CryptoExtras
import Foundation
import PushCapture
import PushCore
import PushJOSE
import TerminalIO

/// The keys of a file, each for one algorithm: a token doesn't choose how it is checked.
struct TokenKeys {
    private let candidates: [Candidate]

    /// What came of checking a token.
    enum Verdict: Equatable {
        /// It holds; the text says with which key.
        case verified(String)
        case refused(String)
    }

    private struct Candidate {
        /// Such as `the file's text as an HS256 secret`.
        let name: String
        let keyID: String?
        let key: Key
    }

    private enum Key {
        case secret(SymmetricKey)
        case ellipticCurve(P256.Signing.PublicKey)
        case rsa(_RSA.Signing.PublicKey)

        var algorithm: String {
            switch self {
            case .secret: "HS256"
            case .ellipticCurve: "ES256"
            case .rsa: "RS256"
            }
        }
    }

    /// - Throws: `Failure` if the file holds no key that is understood.
    init(file path: String) throws(Failure) {
        let bytes: Data
        do throws(BoundedInput.Fault) {
            // A secret's bytes are all of it.
            var input = try BoundedInput(path, limit: 1 << 20, isText: false)
            bytes = try input.all()
        } catch {
            throw Failure(.store, error)
        }
        guard !bytes.isEmpty else { throw Failure(.store, "The key file \(path) is empty.") }
        candidates = try Self.candidates(in: bytes, of: path)
    }

    private static func candidates(
        in bytes: Data, of path: String
    ) throws(Failure) -> [Candidate] {
        let text = String(validUTF8: bytes)?.withoutByteOrderMark
            .trimmingCharacters(in: .whitespacesAndNewlines)
        if let text, text.hasPrefix("-----BEGIN") { return [try publicKey(text, path)] }
        if let text, text.hasPrefix("{") { return try webKeys(text, path) }
        guard let text, !text.isEmpty else { return [secret(bytes, "the file's bytes")] }
        var candidates = [secret(Data(text.utf8), "the file's text")]
        if let decoded = FoundToken.bytes(text), !decoded.isEmpty {
            candidates.append(secret(decoded, "the file's base64"))
        }
        return candidates
    }

    private static func secret(_ bytes: Data, _ name: String) -> Candidate {
        Candidate(name: name, keyID: nil, key: .secret(SymmetricKey(data: bytes)))
    }

    private static func publicKey(_ text: String, _ path: String) throws(Failure) -> Candidate {
        if let key = try? P256.Signing.PublicKey(pemRepresentation: text) {
            return Candidate(name: "the file's public key", keyID: nil, key: .ellipticCurve(key))
        }
        if let key = try? _RSA.Signing.PublicKey(pemRepresentation: text),
            RSAKeySize.takes(key.keySizeInBits)
        {
            return Candidate(name: "the file's public key", keyID: nil, key: .rsa(key))
        }
        throw Failure(
            .store,
            """
            \(path) holds no public key of P-256, or of RSA with \(RSAKeySize.smallest) bits or more.
            """)
    }

    private static func webKeys(_ text: String, _ path: String) throws(Failure) -> [Candidate] {
        let json: JSON
        do {
            json = try JSON(parsing: text)
        } catch {
            throw Failure(.store, "\(path) isn't a JWK: \(error.reason)")
        }
        let found = (json["keys"]?.array ?? [json]).compactMap(webKey)
        guard !found.isEmpty else {
            throw Failure(
                .store,
                """
                \(path) holds no JWK of kty oct, EC with P-256, or RSA with \(RSAKeySize.smallest) \
                bits or more.
                """)
        }
        return found
    }

    /// RFC 7518 section 6.
    private static func webKey(_ json: JSON) -> Candidate? {
        func bytes(_ name: String) -> Data? {
            json[name]?.string.flatMap { FoundToken.bytes($0) }
        }
        let key: Key
        switch json["kty"]?.string {
        case "oct":
            guard let secret = bytes("k"), !secret.isEmpty else { return nil }
            key = .secret(SymmetricKey(data: secret))
        case "EC":
            guard json["crv"] == "P-256", let x = bytes("x"), let y = bytes("y"),
                let point = try? P256.Signing.PublicKey(rawRepresentation: x + y)
            else { return nil }
            key = .ellipticCurve(point)
        case "RSA":
            guard let modulus = bytes("n"), let exponent = bytes("e"),
                let number = try? _RSA.Signing.PublicKey(n: modulus, e: exponent),
                RSAKeySize.takes(number.keySizeInBits)
            else { return nil }
            key = .rsa(number)
        default: return nil
        }
        let id = json["kid"]?.string
        return Candidate(name: id.map { "the JWK \($0)" } ?? "the file's JWK", keyID: id, key: key)
    }

    /// Checks a token with every key of its algorithm.
    func verdict(on token: FoundToken) -> Verdict {
        let fitting = candidates.filter { $0.key.algorithm == token.algorithm }
        guard !fitting.isEmpty else {
            let algorithms = Set(candidates.map(\.key.algorithm)).sorted().joined(separator: ", ")
            return .refused("alg is \(token.algorithm), and the file's key is for \(algorithms)")
        }
        // A key whose name the token gives is tried first, and so named in the report.
        let name = token.header["kid"]?.string
        let ordered = fitting.filter { $0.keyID == name } + fitting.filter { $0.keyID != name }
        guard let match = ordered.first(where: { Self.holds(token, $0.key) }) else {
            return .refused(
                "the signature is wrong for \(ordered.map(\.name).joined(separator: ", "))")
        }
        return .verified("\(match.key.algorithm) with \(match.name)")
    }

    private static func holds(_ token: FoundToken, _ key: Key) -> Bool {
        switch key {
        case .secret(let key):
            HMAC<SHA256>.isValidAuthenticationCode(
                token.signature, authenticating: token.signedText, using: key)
        case .ellipticCurve(let key):
            (try? P256.Signing.ECDSASignature(rawRepresentation: token.signature))
                .map { key.isValidSignature($0, for: token.signedText) } ?? false
        case .rsa(let key):
            key.isValidSignature(
                _RSA.Signing.RSASignature(rawRepresentation: token.signature),
                for: SHA256.hash(data: token.signedText), padding: .insecurePKCS1v1_5)
        }
    }
}
