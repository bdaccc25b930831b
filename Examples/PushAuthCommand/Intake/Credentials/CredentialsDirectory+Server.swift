import Foundation
import LocalServer

extension CredentialsDirectory {
    /// What one authority vouches for.
    struct Identities {
        let server: LocalIdentity
        /// The provider that may send to the APNs intake.
        let client: LocalIdentity
        /// Takes the certificates of that authority.
        let trust: ClientTrust
        /// Its certificate, as PEM.
        let authority: String
    }

    /// The server's identity and the provider's.
    ///
    /// The authority's key is thrown away: it vouches for these two certificates and never for
    /// another. So all are new once their year is over, for another host, topic or team, or where
    /// one is missing.
    func identities(
        for host: String, _ key: ProviderKey
    ) async throws(Failure) -> Identities {
        if let known = try await stored(for: host, key) { return known }
        return try made(for: host, key)
    }

    private func stored(
        for host: String, _ key: ProviderKey
    ) async throws(Failure) -> Identities? {
        guard let server = try read(.server), let client = try read(.apnsClient) else {
            return nil
        }
        let texts = [server, client].map { String(decoding: $0, as: UTF8.self) }
        guard let known = try? Self.identities(texts[0], texts[1]) else {
            let isServers = (try? LocalIdentity(certificates: texts[0], key: texts[0])) == nil
            throw unreadable(isServers ? .server : .apnsClient)
        }
        let tomorrow = Date(timeIntervalSinceNow: 86_400)
        guard known.server.isValid(for: host, at: tomorrow),
            let certificate = known.client.clientCertificate, certificate.isValid(at: tomorrow),
            certificate.userID == key.topic, certificate.unit == key.teamID,
            await known.trust.vouches(for: certificate)
        else { return nil }
        return known
    }

    /// Reads them: the authority's certificate is the last in the server's file.
    private static func identities(_ server: String, _ client: String) throws -> Identities {
        let begin = "-----BEGIN CERTIFICATE-----"
        guard let range = server.range(of: begin, options: .backwards) else {
            throw CocoaError(.fileReadCorruptFile)
        }
        let authority = String(server[range.lowerBound...])
        return Identities(
            server: try LocalIdentity(certificates: server, key: server),
            client: try LocalIdentity(certificates: client, key: client),
            trust: try ClientTrust(authorities: authority), authority: authority)
    }

    private func made(for host: String, _ key: ProviderKey) throws(Failure) -> Identities {
        let made: (server: String, client: String, identities: Identities)
        do {
            let year: TimeInterval = 365 * 86_400
            let authority = try LocalAuthority(lifetime: year)
            defer { authority.removeFile() }
            let server = try authority.identity(for: host, lifetime: -3600...year)
            let client = try authority.clientIdentity(
                userID: key.topic, unit: key.teamID, lifetime: -3600...year)
            let texts = (
                [try server.keyPEM, try server.certificatesPEM, try authority.certificatePEM]
                    .joined(separator: "\n") + "\n",
                [try client.certificatesPEM, try client.keyPEM].joined(separator: "\n") + "\n"
            )
            // Read back, so that they are the same as the next time.
            made = (texts.0, texts.1, try Self.identities(texts.0, texts.1))
        } catch {
            throw Failure(.failed, "No certificates could be made for \(host).")
        }
        try keep(Data(made.client.utf8), in: .apnsClient)
        try keep(Data(made.server.utf8), in: .server)
        return made.identities
    }
}
