import PushCore

@testable import PushJOSE

extension Inner {
    /// Reads a sequence of naturals, and the numbers of an RSA key if it is one.
    public static func der(_ bytes: UnsafeRawBufferPointer) -> StaticString? {
        let naturals = try? naturals(in: bytes)
        if let naturals, !encoded(naturals).elementsEqual(bytes) {
            return "what is read is what its numbers are written as"
        }
        let numbers = try? RSAPrivateNumbers(pkcs1: bytes)
        guard (numbers != nil) == (naturals?.count == 9 && naturals?.first == [0]) else {
            return "a key's numbers are nine, the first of them zero"
        }
        if let numbers, let naturals {
            let secrets =
                [numbers.modulus, numbers.publicExponent] + numbers.privateMembers.map(\.value)
            guard [[0]] + secrets.map({ secret in secret.withBytes { Array($0) } }) == naturals
            else { return "each number is in its place" }
        }
        guard let key = try? RS256PrivateKey(pkcs1: Secret(bytes)) else { return nil }
        guard let jwk = try? key.privateJWK(), (try? RS256PrivateKey(privateJWK: jwk)) != nil else {
            return "a key that is taken is written, and read again"
        }
        return nil
    }

    private static func naturals(
        in bytes: UnsafeRawBufferPointer
    ) throws(PushError) -> [[UInt8]] {
        var outer = DERReader(bytes)
        var reader = try outer.sequence()
        try outer.end()
        var naturals: [[UInt8]] = []
        while (try? reader.end()) == nil { naturals.append(Array(try reader.natural())) }
        return naturals
    }

    private static func encoded(_ naturals: [[UInt8]]) -> [UInt8] {
        let content = naturals.flatMap { natural in
            let sign: [UInt8] = natural.first.map { $0 >= 0x80 } == true ? [0] : []
            return tagged(0x02, sign + natural)
        }
        return tagged(0x30, content)
    }

    private static func tagged(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        var length: [UInt8] = []
        var rest = content.count
        while rest > 0 {
            length.insert(UInt8(truncatingIfNeeded: rest), at: 0)
            rest >>= 8
        }
        if content.count < 0x80 {
            length = [UInt8(content.count)]
        } else {
            length.insert(0x80 | UInt8(length.count), at: 0)
        }
        return [tag] + length + content
    }
}
