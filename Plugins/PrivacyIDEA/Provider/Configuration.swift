import PushCore

extension PrivacyIDEA {
    /// What the app has chosen.
    public struct Configuration: Sendable {
        /// The size of the key pair made at enrollment. Larger ones take seconds to make on a phone.
        public var keySize = KeySize.bits2048

        /// The hosts that may enroll this device, such as `pi.example.com`; `nil` for any, and then
        /// the app shows the offer's host for consent.
        public var allowedHosts: Set<String>?

        /// Origins beside an enrollment's own that its server's challenges may name, for a server that
        /// moved: by the enrollment's origin, such as `https://pi.example.com`. What isn't an origin
        /// matches nothing.
        public var movedOrigins: [String: Set<String>] = [:]

        /// Whether a code with `sslverify=0` may enroll. TLS is verified all the same: nothing turns
        /// that off. Such a code is refused otherwise.
        public var enrollsDespiteSSLVerifyOff = false

        /// Whether the server pushes by an HTTP gateway that takes Apple's device tokens. Its Firebase
        /// gateway takes Firebase's alone, on Apple's systems, too.
        public var usesAPNsTokens = false

        /// Whether servers may be reached over plain HTTP as far as the transport allows it: for tests.
        public var allowsPlainHTTP = false

        /// Whether IP addresses and `localhost` may be servers: for tests.
        public var allowsLocalHosts = false

        /// The `User-Agent` of requests, on which a server's policies can depend; `nil` for the
        /// plugin's own.
        public var userAgent: String?

        /// The languages of the texts that a server makes for its replies, as `Accept-Language` has
        /// them (RFC 9110 section 12.5.4); `nil` for the server's own.
        public var languages: String?

        /// Creates a configuration with the defaults.
        public init() {}
    }

    /// The size of a device's key pair. RSA is the only kind there is.
    @nonexhaustive
    public enum KeySize: Int, Hashable, Sendable, CaseIterable {
        /// 2048 bits.
        case bits2048 = 2048
        /// 3072 bits.
        case bits3072 = 3072
        /// 4096 bits, as the vendor's own app makes.
        case bits4096 = 4096
    }
}

extension PrivacyIDEA.Configuration {
    /// Whether a server may be reached there, whoever names it.
    func allows(_ endpoint: Endpoint) -> Bool {
        (endpoint.isSecure || allowsPlainHTTP)
            && (allowsLocalHosts || !endpoint.isAddressOrLocalhost)
    }

    /// Whether a challenge of an enrollment may lead there.
    func allows(_ endpoint: Endpoint, for enrollment: Endpoint) -> Bool {
        guard allows(endpoint) else { return false }
        return endpoint.origin == enrollment.origin
            || destinations(from: enrollment).contains(endpoint.origin)
    }

    /// Where an enrollment's server may have moved.
    private func destinations(from enrollment: Endpoint) -> Set<String> {
        movedOrigins.reduce(into: []) { found, entry in
            guard (try? Endpoint(entry.key))?.origin == enrollment.origin else { return }
            found.formUnion(entry.value.compactMap { (try? Endpoint($0))?.origin })
        }
    }

    /// The origins of enrollments whose challenges may lead to an endpoint, its own first.
    func origins(leadingTo endpoint: Endpoint) -> [String] {
        let moved = movedOrigins.filter { entry in
            entry.value.contains { (try? Endpoint($0))?.origin == endpoint.origin }
        }
        return [endpoint.shortOrigin]
            + moved.keys.compactMap { (try? Endpoint($0))?.shortOrigin }.sorted()
    }
}

extension Endpoint {
    /// The origin, without the port where it is the scheme's own.
    var shortOrigin: String {
        let isUsual = port == (isSecure ? 443 : 80)
        let suffix = ":\(port)"
        return isUsual && origin.hasSuffix(suffix) ? String(origin.dropLast(suffix.count)) : origin
    }
}
