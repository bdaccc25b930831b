package import PushCore

/// The numbers of an RSA private key, as PKCS#1 lists them (RFC 8017 section A.1.2); most significant
/// byte first, without leading zeros.
package struct RSAPrivateNumbers {
    package let modulus: Secret
    package let publicExponent: Secret
    let privateExponent: Secret
    let prime1: Secret
    let prime2: Secret
    let exponent1: Secret
    let exponent2: Secret
    let coefficient: Secret

    /// Reads `RSAPrivateKey` of a key with two primes, version 0.
    ///
    /// - Throws: `PushError` with the code `malformed`.
    init(pkcs1 bytes: UnsafeRawBufferPointer) throws(PushError) {
        var outer = DERReader(bytes)
        var reader = try outer.sequence()
        try outer.end()
        guard try reader.natural().elementsEqual([0]) else {
            throw PushError(.malformed, "An RSA key has more than two primes.")
        }
        modulus = Secret(try reader.natural())
        publicExponent = Secret(try reader.natural())
        privateExponent = Secret(try reader.natural())
        prime1 = Secret(try reader.natural())
        prime2 = Secret(try reader.natural())
        exponent1 = Secret(try reader.natural())
        exponent2 = Secret(try reader.natural())
        coefficient = Secret(try reader.natural())
        try reader.end()
    }

    /// The members of a JWK (RFC 7518 section 6.3.2) that are private, in the order to write them.
    var privateMembers: [(name: String, value: Secret)] {
        [
            ("d", privateExponent), ("p", prime1), ("q", prime2), ("dp", exponent1),
            ("dq", exponent2), ("qi", coefficient),
        ]
    }
}

/// Reads DER (ITU-T X.690 section 10) as far as a key's numbers need it: sequences and integers.
///
/// Strict, so that each value has one encoding: definite lengths in their shortest form, integers
/// without surplus octets.
struct DERReader {
    private var rest: UnsafeRawBufferPointer

    private static let integerTag: UInt8 = 0x02
    private static let sequenceTag: UInt8 = 0x30

    init(_ bytes: UnsafeRawBufferPointer) {
        rest = bytes
    }

    /// The content of a sequence.
    mutating func sequence() throws(PushError) -> DERReader {
        DERReader(try value(tagged: Self.sequenceTag))
    }

    /// An integer that isn't negative: its octets, most significant first, without a leading zero;
    /// one zero octet for zero.
    mutating func natural() throws(PushError) -> UnsafeRawBufferPointer {
        let octets = try value(tagged: Self.integerTag)
        guard let first = octets.first, first < 0x80 else { throw Self.damaged }
        guard first == 0, octets.count > 1 else { return octets }
        guard octets[1] >= 0x80 else { throw Self.damaged }
        return UnsafeRawBufferPointer(rebasing: octets.dropFirst())
    }

    /// Checks that nothing follows.
    func end() throws(PushError) {
        guard rest.isEmpty else { throw Self.damaged }
    }

    private mutating func value(tagged tag: UInt8) throws(PushError) -> UnsafeRawBufferPointer {
        guard try octet() == tag else { throw Self.damaged }
        let length = try length()
        guard length <= rest.count else { throw Self.damaged }
        defer { rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(length)) }
        return UnsafeRawBufferPointer(rebasing: rest.prefix(length))
    }

    /// Up to two octets: no key is larger.
    private mutating func length() throws(PushError) -> Int {
        let first = Int(try octet())
        switch first {
        case 0..<0x80:
            return first
        case 0x81:
            let length = Int(try octet())
            guard length >= 0x80 else { throw Self.damaged }
            return length
        case 0x82:
            let length = Int(try octet()) << 8 | Int(try octet())
            guard length >= 0x100 else { throw Self.damaged }
            return length
        default:
            throw Self.damaged
        }
    }

    private mutating func octet() throws(PushError) -> UInt8 {
        guard let first = rest.first else { throw Self.damaged }
        rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst())
        return first
    }

    private static let damaged = PushError(.malformed, "Not the DER of a key's numbers.")
}
