import Crypto
import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What makes this installation one device to an origin, and another one to every other origin, so
/// that tenants can't find out together whose device it is.
///
/// Each credential keeps a copy: an account tells its own device identifier all its life, and its SIM
/// cards are compared by hashes under this secret.
struct InstallSecret: Sendable {
    let bytes: Secret

    init(_ bytes: Secret) {
        self.bytes = bytes
    }

    /// The first 128 bits of what the core keeps.
    init(of installation: Secret) {
        bytes = installation.withBytes { Secret($0.prefix(16)) }
    }

    /// `device_identifier`: 128 bits in the form of a UUID, without a UUID's version bits.
    func deviceIdentifier(at origin: String) -> String {
        Hex.uuidText(code(for: origin).prefix(16))
    }

    /// A SIM card as it is stored, and told to this origin alone.
    func hash(of sim: SIMIdentity, at origin: String) -> String {
        // An origin holds no line feed, so no device identifier is a card's hash.
        Hex.text(code(for: "sim\n\(origin)\n\(sim.slot)\n\(sim.identifier)"))
    }

    private func code(for text: String) -> HMAC<SHA256>.MAC {
        HMAC<SHA256>.authenticationCode(
            for: Data(text.utf8), using: bytes.withBytes { SymmetricKey(data: $0) })
    }
}
