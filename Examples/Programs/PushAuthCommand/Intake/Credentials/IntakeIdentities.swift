import Foundation
import LocalServer

/// What one authority vouches for: an intake's server, and the provider that may send to it.
struct IntakeIdentities: Sendable {
    let server: LocalIdentity
    /// The provider that may send to the APNs intake.
    let client: LocalIdentity
    /// Takes the certificates of that authority.
    let trust: ClientTrust
    /// Its certificate, as PEM.
    let authority: String

    /// The server's key and certificate, and that of the authority.
    let serverPEM: String
    /// The provider's certificate and key.
    let clientPEM: String

    /// Reads them: the authority's certificate is the last in the server's text.
    init(server: String, client: String) throws {
        let begin = "-----BEGIN CERTIFICATE-----"
        guard let range = server.range(of: begin, options: .backwards) else {
            throw CocoaError(.fileReadCorruptFile)
        }
        authority = String(server[range.lowerBound...])
        self.server = try LocalIdentity(certificates: server, key: server)
        self.client = try LocalIdentity(certificates: client, key: client)
        trust = try ClientTrust(authorities: authority)
        serverPEM = server
        clientPEM = client
    }

    /// Makes new ones. The authority's key is thrown away: it vouches for these two certificates and
    /// never for another.
    static func make(
        for host: String, _ key: ProviderKey, lifetime: TimeInterval
    ) throws(Failure) -> IntakeIdentities {
        do {
            let authority = try LocalAuthority(lifetime: lifetime)
            defer { authority.removeFile() }
            let server = try authority.identity(for: host, lifetime: -3600...lifetime)
            let client = try authority.clientIdentity(
                userID: key.topic, unit: key.teamID, lifetime: -3600...lifetime)
            // Read back, so that they are the same as the next time.
            return try IntakeIdentities(
                server: [
                    try server.keyPEM, try server.certificatesPEM, try authority.certificatePEM,
                ]
                .joined(separator: "\n") + "\n",
                client: [try client.certificatesPEM, try client.keyPEM].joined(separator: "\n")
                    + "\n")
        } catch {
            throw Failure(.failed, "No certificates could be made for \(host).")
        }
    }
}

extension CredentialsDirectory {
    /// The server's identity and the provider's: new ones once their year is over, for another host,
    /// topic or team, or where one is missing.
    func identities(
        for host: String, _ key: ProviderKey
    ) async throws(Failure) -> IntakeIdentities {
        if let known = try await stored(for: host, key) { return known }
        let made = try IntakeIdentities.make(for: host, key, lifetime: 365 * 86_400)
        try keep(Data(made.clientPEM.utf8), in: .apnsClient)
        try keep(Data(made.serverPEM.utf8), in: .server)
        return made
    }

    private func stored(
        for host: String, _ key: ProviderKey
    ) async throws(Failure) -> IntakeIdentities? {
        guard let server = try read(.server), let client = try read(.apnsClient) else {
            return nil
        }
        let texts = [server, client].map { String(decoding: $0, as: UTF8.self) }
        guard let known = try? IntakeIdentities(server: texts[0], client: texts[1]) else {
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
}
