import PushCore
import PushJOSE

/// The claims that decide what a push is, found in one pass and not judged yet.
struct ReadClaims: ~Copyable {
    /// What `c` stands for in Base64; `nil` if there is none or it can't be read.
    private(set) var challenge: [UInt8]?

    /// What `l` stands for, likewise.
    private(set) var cookie: [UInt8]?

    private(set) var timeToLive: JSON?
    private(set) var issued: JSON?
    private(set) var message: JSON?
    private(set) var kind: JSON?
    private(set) var numbers: JSON?
    private(set) var user: JSON?

    init(_ claims: JSON.Object) {
        claims.forEach { name, claim in
            guard name.count == 1 else { return }
            switch name[0] {
            case UInt8(ascii: "c"): challenge = Self.bytes(claim)
            case UInt8(ascii: "l"): cookie = Self.bytes(claim)
            case UInt8(ascii: "t"): timeToLive = claim.value
            case UInt8(ascii: "i"): issued = claim.value
            case UInt8(ascii: "m"): message = claim.value
            case UInt8(ascii: "k"): kind = claim.value
            case UInt8(ascii: "n"): numbers = claim.value
            case UInt8(ascii: "d"): user = claim.value
            default: break
            }
        }
    }

    private static func bytes(_ claim: JSON.Lent) -> [UInt8]? {
        claim.withText { try? Base64.bytes(from: $0, as: .anyAlphabet) } ?? nil
    }
}
