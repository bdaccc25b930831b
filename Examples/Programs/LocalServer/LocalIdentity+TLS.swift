import HummingbirdHTTP2
import NIOCore
import NIOSSL

extension LocalIdentity {
    /// How a server of HTTP/2 presents it.
    ///
    /// - Parameter asksForCertificate: Whether clients are asked for theirs. Any will do, as a refused
    ///   handshake would tell a client nothing: who answers its requests judges it.
    /// - Returns: The settings of TLS.
    /// - Throws: What the key or the certificate is refused for.
    func tlsChannel(asksForCertificate: Bool) throws -> TLSChannelConfiguration {
        var configuration = try tlsConfiguration()
        guard asksForCertificate else {
            return TLSChannelConfiguration(tlsConfiguration: configuration)
        }
        configuration.certificateVerification = .optionalVerification
        configuration.trustRoots = .certificates([])
        return TLSChannelConfiguration(tlsConfiguration: configuration) { _, promise in
            promise.succeed(.certificateVerified)
        }
    }
}
