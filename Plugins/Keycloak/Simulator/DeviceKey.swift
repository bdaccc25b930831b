import Crypto
import CryptoExtras
import PushCore
import PushJOSE

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A device's public key as the server keeps it: the JWK (RFC 7517) as it came, and what it says.
struct DeviceKey: Sendable {
    let members: JSON.Object
    let key: PublicKey

    /// What no public key may hold.
    private static let privateMembers = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"]

    /// Reads a JWK.
    ///
    /// Coordinates may lack leading zeros or have more, as the server reads them for numbers.
    ///
    /// - Throws: `Refusal` with the status 400.
    init(_ json: JSON?) throws(Refusal) {
        guard let members = json?.object else { throw Refusal(400, "JWK must be an object") }
        guard members.members.allSatisfy({ !Self.privateMembers.contains($0.name) }) else {
            throw Refusal(400, "JWK must not contain private key parameters")
        }
        self.members = members
        switch members["kty"]?.string {
        case "RSA": key = try Self.rsa(members)
        case "EC": key = try Self.ec(members)
        default: throw .badKey
        }
    }

    /// Checks that the key may be used with an algorithm.
    ///
    /// - Throws: `Refusal` with the status 400.
    func check(_ algorithm: KeycloakSimulator.Algorithm) throws(Refusal) {
        if let named = members["alg"]?.string, named != algorithm.rawValue {
            throw Refusal(400, "JWK algorithm mismatch")
        }
        if case .rsa = key {
            guard algorithm.curve == nil else {
                throw Refusal(400, "RSA keys require RS* algorithms")
            }
            return
        }
        guard let curve = algorithm.curve else {
            throw Refusal(400, "EC keys require ES* algorithms")
        }
        guard let own = members["crv"]?.string, own == curve else {
            throw Refusal(
                400,
                "EC curve \(members["crv"]?.string ?? "") incompatible with \(algorithm.rawValue)")
        }
    }

    /// The thumbprint over the texts as they came (RFC 7638).
    var thumbprint: String {
        let names = if case .rsa = key { ["e", "kty", "n"] } else { ["crv", "kty", "x", "y"] }
        let required = JSON.Object(names.map { ($0, members[$0] ?? .null) })
        return SHA256.hash(data: JSON.object(required).data).base64URL
    }

    private static func rsa(_ members: JSON.Object) throws(Refusal) -> PublicKey {
        // The server states no shortest key; the library takes none below 2048 bits.
        guard let modulus = number("n", members), let exponent = number("e", members),
            let key = try? _RSA.Signing.PublicKey(n: modulus, e: exponent)
        else { throw .badKey }
        return .rsa(key)
    }

    private static func ec(_ members: JSON.Object) throws(Refusal) -> PublicKey {
        let algorithm = KeycloakSimulator.Algorithm.allCases.first {
            $0.curve != nil && $0.curve == members["crv"]?.string
        }
        guard let algorithm, let x = number("x", members), let y = number("y", members),
            x.count <= algorithm.coordinateBytes, y.count <= algorithm.coordinateBytes
        else { throw .badKey }
        let size = algorithm.coordinateBytes
        let point = [x, y].reduce(Data()) { $0 + Data(count: size - $1.count) + $1 }
        let key: PublicKey? =
            switch algorithm {
            case .es384: (try? P384.Signing.PublicKey(rawRepresentation: point)).map { .p384($0) }
            case .es512: (try? P521.Signing.PublicKey(rawRepresentation: point)).map { .p521($0) }
            default: (try? P256.Signing.PublicKey(rawRepresentation: point)).map { .p256($0) }
            }
        guard let key else { throw .badKey }
        return key
    }

    /// A number without leading zeros; `nil` unless it's base64url.
    private static func number(_ name: String, _ members: JSON.Object) -> Data? {
        guard let text = members[name]?.string, let bytes = try? Base64.data(from: text, as: .url)
        else { return nil }
        let digits = Data(bytes.drop { $0 == 0 })
        return digits.isEmpty ? nil : digits
    }
}

extension Digest {
    /// The digest as thumbprints and `ath` write it.
    var base64URL: String { Base64.encode(Data(self), as: .url) }
}
