import Crypto
import Foundation
import Harness
import PushCore
import PushPowerAuth
import PushTesting

/// What a phone does for PowerAuth, beside the primitives that no client can do without.
func powerAuth() async throws -> [Comparison] {
    let example = try PowerAuthExample()
    return [
        try signing(example, factors: 1), try signing(example, factors: 2),
        try await sealing(example), try opening(example), try status(example),
        try token(example), try await activating(), try await unlocking(),
    ]
}

/// Keys and texts of the sizes that the protocol has.
struct PowerAuthExample {
    let application: PowerAuthApplication
    let random = SeededRandom(seed: 5)
    let time = Date(timeIntervalSince1970: 1_780_000_000)

    /// As large as an approval with a few attributes.
    let body = Data(String(repeating: "x", count: 200).utf8)

    init() throws {
        application = try PowerAuthApplication(
            key: Self.base64(random, 16), secret: Secret(Self.base64(random, 16).utf8),
            masterPublicKey: P256.KeyAgreement.PrivateKey().publicKey.x963Representation)
    }

    var applicationSecret: Data { application.secret.withBytes { Data($0) } }

    func bytes(_ count: Int) -> Data { random.bytes(count).withBytes { Data($0) } }

    private static func base64(_ random: SeededRandom, _ count: Int) -> String {
        random.bytes(count).withBytes { Data($0) }.base64EncodedString()
    }
}

/// HMAC-SHA256 and the folding of its 32 bytes to 16, by swift-crypto.
enum RawCode {
    static func code(_ key: Data, _ message: Data) -> Data {
        Data(HMAC<SHA256>.authenticationCode(for: message, using: SymmetricKey(data: key)))
    }

    static func folded(_ bytes: Data) -> Data {
        Data(zip(bytes.prefix(16), bytes.suffix(16)).map { $0 ^ $1 })
    }
}
