import Foundation
import PushCore
import PushJOSE
import Testing

/// The code that a refusal carries; `nil` if nothing was refused.
///
/// An error that isn't the SDK's is a failure of its own.
func refusal<Value>(of body: () throws -> Value) -> PushError.Code? {
    do {
        _ = try body()
        return nil
    } catch {
        if let error = error as? PushError { return error.code }
        Issue.record(error, "Only PushError may be thrown.")
        return nil
    }
}

/// A generator whose numbers follow from its seed, so that a failure can be repeated.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    // SplitMix64.
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }

    mutating func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8.random(in: 0...255, using: &self) }
    }
}

extension Secret {
    var bytes: [UInt8] { withBytes { Array($0) } }
}

/// A compact JWS with exactly these header and payload bytes, rightly signed.
func signedJWS(header: String, payload: String, by key: some JWSSigningKey) throws -> String {
    let input =
        Base64.encode(Array(header.utf8), as: .url) + "."
        + Base64.encode(Array(payload.utf8), as: .url)
    return input + "." + Base64.encode(try key.signature(over: Data(input.utf8)), as: .url)
}

let acmeKey = HS256Key(Secret(Array("an HMAC key of 32 bytes for Acme".utf8)))
