import Crypto
import Foundation
import IndependentEncodings
import PushCore
import PushTesting
import Testing

@testable import PushPowerAuth

/// Encodings and values that the tests of envelopes and tokens share, none of them by our code.
enum Wire {
    static func decode(_ base64: String) throws -> [UInt8] {
        Array(try #require(Data(base64Encoded: base64)))
    }

    static func base64(_ bytes: some Sequence<UInt8>) -> String {
        Data(bytes).base64EncodedString()
    }

    static func base64url(_ bytes: some Sequence<UInt8>) -> String {
        IndependentEncodings.base64url(bytes)
    }

    static func hex(_ bytes: some Sequence<UInt8>) -> String {
        IndependentEncodings.hex(bytes)
    }

    static func hex(_ secret: Secret) -> String { secret.withBytes { hex($0) } }

    static func text(_ secret: Secret) -> String {
        secret.copiedText()
    }

    /// A private key that follows from a seed.
    static func privateKey(_ seed: UInt64) throws -> P256.KeyAgreement.PrivateKey {
        try SeededRandom(seed: seed).bytes(32).withBytes {
            try P256.KeyAgreement.PrivateKey(rawRepresentation: $0)
        }
    }

    static func point(_ key: P256.KeyAgreement.PrivateKey) throws -> CurvePoint {
        try CurvePoint(key.publicKey.x963Representation)
    }

    static func application(
        key: String = "lbNrg+B157tbojC487941A==", secret: String = "5to+u5pcUeAl7GPu7fNmug==",
        master: P256.KeyAgreement.PrivateKey? = nil
    ) throws -> PowerAuthApplication {
        try PowerAuthApplication(
            key: key, secret: Secret(copying: secret),
            masterPublicKey: (master ?? privateKey(1)).publicKey.x963Representation)
    }

    static let activationID = "6ae8cd16-67a7-4840-8d37-33d9aab6ea51"
    static let transportKey = "gXqfNj6hC8yMlVpDET4S5Q=="

    static func scope(inActivation: Bool) throws -> EncryptionScope {
        guard inActivation else { return .application(try application()) }
        return .activation(
            try application(), activationID: activationID,
            transportKey: Secret(try decode(transportKey)))
    }
}

/// The code of what a closure throws; `nil` if it throws nothing.
func refusal<Value>(_ body: () throws(PushError) -> Value) -> PushError.Code? {
    do throws(PushError) {
        _ = try body()
        return nil
    } catch {
        return error.code
    }
}
