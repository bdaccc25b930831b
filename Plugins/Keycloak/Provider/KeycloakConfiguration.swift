public import PushCore
import PushJOSE

/// What the app has chosen.
public struct KeycloakConfiguration: Sendable {
    /// The realms that may enroll this device, each issuer once; of two, the first counts. Nobody's
    /// code leads anywhere else.
    public var realms: [Realm]

    /// The word by which the realms' operator has added a sender for Apple's device tokens
    /// (`pushProviderType`, 64 characters at most by default); `nil` if there is none. The extension
    /// brings a sender for Firebase's tokens alone.
    public var apnsProviderType: String?

    /// Whether new keys are made in the device's Secure Enclave, by enrolling and by
    /// ``Keycloak/rotateKey(of:)``. They ask for no finger; a guard of the enrollment does. A system
    /// without an enclave makes none then: `unsupported`.
    public var usesSecureEnclave = false

    /// Creates a configuration.
    public init(realms: [Realm]) {
        self.realms = realms
    }

    /// One realm, and how the app names itself to it.
    ///
    /// The secret is in every copy of the app, so it proves nothing of a device or a user: only the
    /// device's own key does.
    public struct Realm: Sendable {
        /// The realm's issuer, such as `https://sso.example.com/realms/demo`, in the text that its
        /// tokens have as `iss`.
        public let issuer: Endpoint

        let name: String
        let tokens: Endpoint
        let keys: Endpoint
        let client: ClientCredentials

        /// Creates a realm.
        ///
        /// - Parameters:
        ///   - issuer: The realm's issuer, without a slash at its end.
        ///   - clientID: The identifier of the app's confidential client, for which the realm gives
        ///     access tokens bound by DPoP.
        ///   - clientSecret: The client's secret, UTF-8.
        ///   - allowsPlainHTTP: Whether the realm may be reached over plain HTTP as far as the transport
        ///     allows it: for tests.
        /// - Throws: `PushError` with the code `invalidArgument` if the issuer isn't an https URL that
        ///   ends in `/realms/` and a name, or the secret isn't UTF-8.
        public init(
            issuer: String, clientID: String, clientSecret: Secret, allowsPlainHTTP: Bool = false
        ) throws(PushError) {
            guard let endpoint = try? Endpoint(issuer), let name = Self.name(in: endpoint),
                let tokens = try? Endpoint("\(issuer)/protocol/openid-connect/token"),
                let keys = try? Endpoint("\(issuer)/protocol/openid-connect/certs")
            else {
                throw PushError(
                    .invalidArgument, "The issuer isn't a URL that ends in /realms/ and a name.")
            }
            guard endpoint.isSecure || allowsPlainHTTP else {
                throw PushError(.invalidArgument, "The issuer isn't https.")
            }
            guard clientSecret.withBytes({ String(validUTF8: $0) }) != nil else {
                throw PushError(.invalidArgument, "The client's secret isn't UTF-8.")
            }
            self.issuer = endpoint
            self.name = name
            self.tokens = tokens
            self.keys = keys
            client = ClientCredentials(id: clientID, secret: clientSecret)
        }

        /// The realm's name: what stands after `/realms/`, decoded.
        private static func name(in issuer: Endpoint) -> String? {
            let parts = issuer.path.parts(at: "/")
            guard let last = parts.last, !last.isEmpty, !issuer.path.utf8.contains(0x3F),
                parts.dropLast().last?.utf8.elementsEqual("realms".utf8) == true
            else { return nil }
            return PercentText.decoded(last)
        }
    }
}

extension KeycloakConfiguration {
    /// The realm with an issuer, to the byte.
    func realm(_ issuer: String) -> Realm? {
        realms.first { $0.issuer.text.hasSameBytes(as: issuer) }
    }
}

extension KeycloakConfiguration.Realm {
    /// An address of the extension's.
    ///
    /// - Parameter path: What follows `push-mfa`, beginning with a slash.
    /// - Returns: The address.
    /// - Throws: `PushError` with the code `malformed` if that makes no URL.
    func device(_ path: String) throws(PushError) -> Endpoint {
        try Endpoint("\(issuer.text)/push-mfa\(path)")
    }
}
