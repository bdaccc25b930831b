import Crypto
import PushCore
import PushJOSE

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension Data {
    /// A number in big-endian order.
    init(bigEndian number: some FixedWidthInteger) {
        self = Swift.withUnsafeBytes(of: number.bigEndian) { Data($0) }
    }

    /// The parts, each after its length in 32 bits.
    static func sized(_ parts: [Data]) -> Data {
        var bytes = Data()
        for part in parts {
            bytes.append(Data(bigEndian: UInt32(truncatingIfNeeded: part.count)))
            bytes.append(part)
        }
        return bytes
    }

    /// Bytes of a text in standard Base64 that encode back to the same text.
    ///
    /// `count` is how many there have to be; `nil` is any number.
    init?(base64 text: String?, count: Int? = nil) {
        guard let text, let bytes = try? Base64.data(from: text) else { return nil }
        if let count, bytes.count != count { return nil }
        self = bytes
    }

    var base64: String { Base64.encode(self) }

    func isEqualInConstantTime(to other: Data) -> Bool {
        Secret(self).isEqualInConstantTime(to: Secret(other))
    }
}

extension RandomSource {
    func data(_ count: Int) -> Data {
        bytes(count).withBytes { Data($0) }
    }

    /// A UUID as Java's servers write it.
    func identifier() -> String { uuid().lowercased() }

    /// A P-256 key made of random bytes; the few that are no key are drawn again.
    func key() -> P256.KeyAgreement.PrivateKey {
        for _ in 0..<64 {
            if let key = try? P256.KeyAgreement.PrivateKey(rawRepresentation: data(32)) {
                return key
            }
        }
        // Only a source that repeats itself comes here.
        return P256.KeyAgreement.PrivateKey()
    }
}

extension P256.KeyAgreement.PublicKey {
    /// A point of 33 or 65 bytes on the curve.
    init?(point: Data) {
        switch point.count {
        case 33: try? self.init(compressedRepresentation: point)
        case 65: try? self.init(x963Representation: point)
        default: return nil
        }
    }
}

extension P256.KeyAgreement.PrivateKey {
    /// The same key for signatures; `nil` never comes of a key that exists.
    var signing: P256.Signing.PrivateKey? {
        try? P256.Signing.PrivateKey(rawRepresentation: rawRepresentation)
    }

    /// The x coordinate of the shared point, always 32 bytes.
    func secret(with peer: P256.KeyAgreement.PublicKey) -> Data? {
        try? sharedSecretFromKeyAgreement(with: peer).withUnsafeBytes { Data($0) }
    }

    /// A signature in DER, as codes and QR texts carry it.
    func derSignature(over bytes: Data) -> Data? {
        try? signing?.signature(for: bytes).derRepresentation
    }

    /// A signature as two numbers of 32 bytes, as JWS has it.
    func rawSignature(over bytes: Data) -> Data? {
        try? signing?.signature(for: bytes).rawRepresentation
    }
}

extension JSON {
    init(_ integer: some BinaryInteger) { self = .integer(integer) }
}

extension JSON.Object {
    /// Whether it has no members but these.
    func hasOnly(_ names: Set<String>) -> Bool {
        members.allSatisfy { names.contains($0.name) }
    }
}

extension String {
    /// Whether two texts are the same bytes; Unicode takes some spellings for one another.
    func isSameText(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}
