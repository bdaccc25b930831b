import Crypto
import Foundation
import PushCore
import Testing

@testable import PushPowerAuth

@Suite struct KeyDerivationTests {
    /// powerauth-crypto, `compute-derived-keys.json` #0; the last two rows are from two
    /// independent programs, as the vendor publishes none.
    @Test(arguments: [
        ("+miyqJykCZQTNpAzn+ZShw==", 1, "M3p1tPYouptaX8z5Dhc2cw=="),
        ("+miyqJykCZQTNpAzn+ZShw==", 2, "SG3aE8VTXg6wzkuNuZWaIg=="),
        ("+miyqJykCZQTNpAzn+ZShw==", 3, "rhgOh1SxWu919w7F72Oqmw=="),
        ("+miyqJykCZQTNpAzn+ZShw==", 1000, "v8ZPpTuh1IIBaUnhkXcNbw=="),
        ("+miyqJykCZQTNpAzn+ZShw==", 2000, "6o4or/gFtBu5Wb1ayqdgyQ=="),
        ("v8ZPpTuh1IIBaUnhkXcNbw==", 3000, "wbHWpHYW1g2O2Gw64GRzWA=="),
        ("v8ZPpTuh1IIBaUnhkXcNbw==", 4000, "pJo0M96eQuux5QcGm5Rskw=="),
    ])
    func `derived keys are the vendor's`(key: String, index: UInt64, derived: String) throws {
        let result = try KeyDerivation.key(Sample.secret(key), index: index)
        #expect(result.base64 == derived)
    }

    @Test func `a number above 32 bits counts in full`() throws {
        let key = try Sample.secret("+miyqJykCZQTNpAzn+ZShw==")
        #expect(
            try KeyDerivation.key(key, index: 1 << 32 | 1).copy
                != KeyDerivation.key(key, index: 1).copy)
    }

    @Test func `a key that nobody folded is refused`() {
        for count in [0, 15, 17, 24, 32] {
            #expect(
                Sample.refusal {
                    _ = try KeyDerivation.key(Secret(count: count) { _ in }, index: 1)
                }
                    == .invalidArgument)
        }
    }

    @Test func `the inner derivation takes its first argument as the key of the HMAC`() throws {
        let (key, data) = (Sample.ascending(16), Data("message".utf8))
        let code = Array(
            HMAC<SHA256>.authenticationCode(for: data, using: SymmetricKey(data: key)))
        let folded = (0..<16).map { code[$0] ^ code[$0 + 16] }
        #expect(KeyDerivation.internalKey(Secret(key), data).copy == folded)
        #expect(KeyDerivation.internalKey(Secret(key), Secret(data)).copy == folded)
        // A collection without contiguous memory, and a slice that doesn't begin at zero.
        #expect(KeyDerivation.internalKey(Secret(key), data.reversed().reversed()).copy == folded)
        #expect(KeyDerivation.internalKey(Secret(key), (Data([9]) + data)[1...]).copy == folded)
    }
}
