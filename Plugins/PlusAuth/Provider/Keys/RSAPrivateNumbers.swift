import PushCore

/// The numbers of an RSA private key, as PKCS#1 lists them (RFC 8017 section A.1.2); most significant
/// byte first, without leading zeros.
struct RSAPrivateNumbers {
    let modulus: Secret
    let publicExponent: Secret
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
