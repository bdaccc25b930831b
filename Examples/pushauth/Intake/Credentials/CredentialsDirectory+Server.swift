import Foundation
import LocalServer

extension CredentialsDirectory {
    /// The server's identity, for which `authority.pem` vouches.
    ///
    /// The authority's key is thrown away: it vouches for this one certificate and never for
    /// another. So both are new once the certificate's year is over, or for another host.
    func serverIdentity(for host: String) throws(Failure) -> LocalIdentity {
        let known = try stored(for: host)
        let (identity, text) = if let known { known } else { try made(for: host) }
        let begin = "-----BEGIN CERTIFICATE-----"
        if let range = text.range(of: begin, options: .backwards) {
            try keep(Data(text[range.lowerBound...].utf8), in: .authority)
        }
        return identity
    }

    private func stored(for host: String) throws(Failure) -> (LocalIdentity, String)? {
        guard let bytes = try read(.server) else { return nil }
        let text = String(decoding: bytes, as: UTF8.self)
        guard let identity = try? LocalIdentity(certificates: text, key: text) else {
            throw unreadable(.server)
        }
        let tomorrow = Date(timeIntervalSinceNow: 86_400)
        return identity.isValid(for: host, at: tomorrow) ? (identity, text) : nil
    }

    private func made(for host: String) throws(Failure) -> (LocalIdentity, String) {
        let made: (identity: LocalIdentity, text: String)
        do {
            let year: TimeInterval = 365 * 86_400
            let authority = try LocalAuthority(lifetime: year)
            defer { authority.removeFile() }
            let identity = try authority.identity(for: host, lifetime: -3600...year)
            let root = try String(contentsOf: authority.certificateFile, encoding: .utf8)
            let parts = [try identity.keyPEM, try identity.certificatesPEM, root]
            let text = parts.joined(separator: "\n")
            // Read back, so that it is the same as the next time.
            made = (try LocalIdentity(certificates: text, key: text), text)
        } catch {
            throw Failure(.failed, "No certificate could be made for \(host).")
        }
        try keep(Data(made.text.utf8), in: .server)
        return made
    }
}
