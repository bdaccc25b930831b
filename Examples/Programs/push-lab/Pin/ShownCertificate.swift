import Foundation
import PushCore
import PushPlatform
import SwiftASN1
import TerminalIO
import X509

/// What is shown of a certificate.
struct ShownCertificate {
    enum Role: String {
        case leaf, authority
    }

    let role: Role

    /// The subject as the certificate has it, made printable; empty if it can't be read.
    let subject: String

    /// When it is valid; `nil` if that can't be read.
    let validity: ClosedRange<Date>?

    /// `nil` if the key can't be found.
    let pin: ServerPin?

    /// Reads a certificate.
    ///
    /// - Parameters:
    ///   - bytes: The certificate in DER.
    ///   - isFirst: Whether a server presented it first, which makes it the leaf whatever it says.
    init(_ bytes: Data, isFirst: Bool) {
        pin = try? ServerPin(certificate: bytes)
        let certificate = try? Certificate(derEncoded: Array(bytes))
        subject = printable(certificate?.subject.description ?? "")
        validity = certificate.flatMap { certificate in
            let (start, end) = (certificate.notValidBefore, certificate.notValidAfter)
            return start <= end ? start...end : nil
        }
        if case .isCertificateAuthority = try? certificate?.extensions.basicConstraints, !isFirst {
            role = .authority
        } else {
            role = .leaf
        }
    }
}
