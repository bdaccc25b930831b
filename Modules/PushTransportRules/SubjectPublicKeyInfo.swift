package import PushCore

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// Finds the part of a certificate that a pin is taken over (RFC 5280, section 4.1).
///
/// It walks over DER without trusting it: definite lengths in their shortest form, nothing missing
/// and nothing left over. It judges no certificate; its caller has verified the chain, or merely
/// shows it.
package enum SubjectPublicKeyInfo {
    /// The DER encoding of a certificate's `SubjectPublicKeyInfo`, as it stands in the certificate.
    ///
    /// - Parameter certificate: The DER encoding of an X.509 certificate.
    /// - Returns: The bytes, which a pin is the hash of.
    /// - Throws: `PushError` with the code `malformed`.
    package static func bytes(ofCertificate certificate: Data) throws(PushError) -> Data {
        guard let bytes = find(in: ArraySlice(certificate)) else {
            throw PushError(.malformed, "Not an X.509 certificate in DER.")
        }
        return Data(bytes)
    }

    private static func find(in bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        var file = DERReader(bytes)
        guard let certificate = file.next(.sequence), file.isAtEnd else { return nil }
        var parts = DERReader(certificate.content)
        guard let signed = parts.next(.sequence), parts.next(.sequence) != nil,
            parts.next(.bitString) != nil, parts.isAtEnd
        else { return nil }
        var fields = DERReader(signed.content)
        if fields.peek == DERReader.Tag.version.rawValue, fields.next(.version) == nil {
            return nil
        }
        // serialNumber, signature, issuer, validity, subject
        for tag in [DERReader.Tag.integer, .sequence, .sequence, .sequence, .sequence] {
            guard fields.next(tag) != nil else { return nil }
        }
        guard let key = fields.next(.sequence) else { return nil }
        var halves = DERReader(key.content)
        guard halves.next(.sequence) != nil, halves.next(.bitString) != nil, halves.isAtEnd else {
            return nil
        }
        return key.encoding
    }
}

/// Reads one element of DER after the other.
private struct DERReader {
    enum Tag: UInt8 {
        case integer = 0x02
        case bitString = 0x03
        case sequence = 0x30
        case version = 0xA0
    }

    typealias Element = (encoding: ArraySlice<UInt8>, content: ArraySlice<UInt8>)

    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) {
        rest = bytes
    }

    var isAtEnd: Bool { rest.isEmpty }

    /// The tag of the next element.
    var peek: UInt8? { rest.first }

    /// Takes the next element, if it has this tag and all of it is there.
    mutating func next(_ tag: Tag) -> Element? {
        var head = rest
        guard head.popFirst() == tag.rawValue, let length = Self.length(&head),
            length <= head.count
        else { return nil }
        let content = head.prefix(length)
        let encoding = rest[rest.startIndex..<content.endIndex]
        rest = rest[content.endIndex...]
        return (encoding, content)
    }

    /// Reads a length of up to four bytes in its shortest form.
    private static func length(_ bytes: inout ArraySlice<UInt8>) -> Int? {
        guard let first = bytes.popFirst() else { return nil }
        guard first >= 0x80 else { return Int(first) }
        let count = Int(first & 0x7F)
        guard (1...4).contains(count), bytes.count >= count, bytes.first != 0 else { return nil }
        let length = bytes.prefix(count).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        bytes = bytes.dropFirst(count)
        guard length >= 0x80 else { return nil }
        return Int(exactly: length)
    }
}
