import Foundation

/// Whether bytes hold a secret in any form that software keeps one in: as it is or in the other
/// order, in hexadecimal, Base64 or Base32, wherever in a longer text it stands.
package func isReadable(_ secret: [UInt8], in bytes: [UInt8]) -> Bool {
    let all = Data(bytes)
    return forms(of: secret).contains { all.range(of: $0) != nil }
}

private func forms(of secret: [UInt8]) -> [Data] {
    // What stands before it in a text decides at which of its bytes a group of digits begins.
    func groups(of size: Int) -> [ArraySlice<UInt8>] {
        (0..<size).map { secret.dropFirst($0).prefix((secret.count - $0) / size * size) }
    }
    let texts =
        [hex(secret), hex(secret, upperCase: true)]
        + groups(of: 3).flatMap { [base64($0), base64url($0)] } + groups(of: 5).map(base32)
    return [Data(secret), Data(secret.reversed())] + texts.map { Data($0.utf8) }
}

/// Base32 of whole groups of five bytes.
private func base32(_ bytes: some Sequence<UInt8>) -> String {
    let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
    let bits = bytes.flatMap { byte in (0..<8).map { Int(byte >> (7 - $0) & 1) } }
    return String(
        stride(from: 0, to: bits.count, by: 5).map { start in
            digits[bits[start..<start + 5].reduce(0) { $0 * 2 + $1 }]
        })
}
