import Crypto
import PushCore

/// What the user and the back office compare before an activation is committed.
enum Fingerprint {
    /// The fingerprint of both public keys and the activation, of protocol version 3: 8 digits.
    ///
    /// The coordinates go into it without leading zero bytes, unlike anywhere else.
    ///
    /// - Parameters:
    ///   - device: The device's public key.
    ///   - activationID: The activation's identifier, in the server's exact case.
    ///   - server: The server's public key for this activation.
    static func digits(device: CurvePoint, activationID: String, server: CurvePoint) -> String {
        var hash = SHA256()
        hash.update(data: device.minimalX)
        hash.update(data: Array(activationID.utf8))
        hash.update(data: server.minimalX)
        return hash.finalize().withUnsafeBytes { digest in
            String(unsafeUninitializedCapacity: 8) { output in
                DecimalCode.write(
                    digest,
                    to: UnsafeMutableRawBufferPointer(
                        rebasing: UnsafeMutableRawBufferPointer(output)[..<8]))
                return 8
            }
        }
    }
}
