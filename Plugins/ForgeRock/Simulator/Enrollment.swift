public import PushCore
import PushTesting

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension ForgeRockSimulator {
    /// Invites a user's device to enroll, as the registration page's QR code would.
    ///
    /// - Throws: `PushError` with the codes of ``enrollmentURI(for:options:)``: `unsupported`,
    ///   `invalidArgument` or `notFound`.
    public func invitation(for user: String) throws(PushError) -> Invitation {
        .scanned(text: try enrollmentURI(for: user))
    }

    /// The text of a user's QR code; making it opens the registration.
    ///
    /// Its parameters stand in the order of AM's hidden callback. The order means nothing.
    ///
    /// - Parameters:
    ///   - user: The name AM knows the user by.
    ///   - options: What to offer; what the configuration says if `nil`.
    /// - Returns: The text.
    /// - Throws: `PushError` with the code `unsupported` for a combined code before AM 7.3,
    ///   `invalidArgument` for policies in one that isn't combined, or `notFound` if the realm has
    ///   no push service.
    public func enrollmentURI(
        for user: String, options: EnrollmentOptions? = nil
    ) throws(PushError) -> String {
        let options = options ?? configuration.enrollment
        if options.kind == .totp || options.kind == .hotp { return codeURI(for: user, options) }
        let isCombined = options.kind != .push
        guard configuration.hasPushService else {
            throw PushError(.notFound, "The realm has no push service.")
        }
        guard !isCombined || configuration.isAM73 else {
            throw PushError(.unsupported, "Combined invitations came with AM 7.3.")
        }
        guard isCombined || options.policies == nil else {
            throw PushError(.invalidArgument, "Only combined invitations carry policies.")
        }
        var (query, messageID) = openRegistration(of: user)
        query.append(("b", options.color.replacing("#", with: "")))
        if let image = options.image {
            query.append(("image", isCombined ? image : Base64URL.encode(image.utf8)))
        }
        if isCombined {
            let key = configuration.random.bytes(20)
            query.append(contentsOf: codeParameters(options, key: key))
            if case .registration(var registration)? = messages[messageID]?.content {
                registration.codes = codeDevice(options, key: key)
                messages[messageID]?.content = .registration(registration)
            }
        }
        let issuer = configuration.isAM73 ? configuration.issuer : "forgerock"
        return uri(options, issuer: issuer, user: user, query)
    }

    /// The text of a QR code for one-time codes alone, which count from now on.
    ///
    /// That AM up to 7.2 escapes the parameter `issuer` is UNCONFIRMED.
    private func codeURI(for user: String, _ options: EnrollmentOptions) -> String {
        let key = configuration.random.bytes(16)
        codeDevices[user] = codeDevice(options, key: key)
        var query = codeParameters(options, key: key)
        query.append(("b", options.color.replacing("#", with: "")))
        if let image = options.image { query.append(("image", image)) }
        if configuration.hasRefresh { query.append(("uid", Base64URL.encode(user.utf8))) }
        if !configuration.isAM73 {
            query.append(("issuer", Self.escaped(configuration.issuer)))
        }
        return uri(options, issuer: configuration.issuer, user: user, query)
    }

    private func uri(
        _ options: EnrollmentOptions, issuer: String, user: String, _ query: [Parameter]
    ) -> String {
        let label = Self.escaped(issuer) + ":" + Self.escaped(options.account ?? user)
        let parameters = query.map { "\($0.name)=\($0.value)" }.joined(separator: "&")
        return "\(options.kind.prefix)/\(label)?\(parameters)"
    }

    private func codeDevice(_ options: EnrollmentOptions, key: Secret) -> CodeDevice {
        CodeDevice(key: key, isCounted: options.kind.isCounted, options: options.codes)
    }

    private typealias Parameter = (name: String, value: String)

    private func openRegistration(of user: String) -> (query: [Parameter], messageID: String) {
        let profileID = stampedUUID()
        let key = configuration.random.bytes(32)
        let challenge = configuration.random.bytes(32)
        let messageID = "REGISTER:" + stampedUUID()
        let now = configuration.clock.now
        messages[messageID] = StoredMessage(
            expectation: .init(
                key: key, response: CompactToken.response(to: challenge, by: key)),
            expiry: now + configuration.responseCacheDuration.inSeconds,
            content: .registration(
                .init(
                    user: user, journeyExpiry: now + configuration.registrationTimeout.inSeconds)))
        let url = origin + configuration.path + "?_action="
        var query: [Parameter] = []
        if let cookie = configuration.loadBalancerCookie {
            query.append(("l", Base64URL.encode(cookie.utf8)))
        }
        query.append(("issuer", Base64URL.encode(configuration.issuer.utf8)))
        query.append(("m", messageID))
        query.append(("s", key.withBytes { Base64URL.encode($0) }))
        query.append(("c", challenge.withBytes { Base64URL.encode($0) }))
        query.append(("r", Base64URL.encode("\(url)register".utf8)))
        query.append(("a", Base64URL.encode("\(url)authenticate".utf8)))
        if configuration.hasRefresh {
            query.append(("uid", Base64URL.encode(user.utf8)))
            query.append(("pid", Base64URL.encode(profileID.utf8)))
        }
        return (query, messageID)
    }

    /// The one-time-code half of a combined code, and its policies. SHA-1 goes unsaid.
    private func codeParameters(_ options: EnrollmentOptions, key: Secret) -> [Parameter] {
        let identifier = stampedUUID()
        let codes = options.codes
        var query: [Parameter] = [
            ("secret", key.withBytes { Base32.encode($0) }),
            options.kind.isCounted ? ("counter", "0") : ("period", "\(codes.period)"),
            ("digits", "\(codes.digits)"),
        ]
        if !options.kind.isCounted, codes.algorithm != .sha1 {
            query.append(("algorithm", codes.algorithm.rawValue))
        }
        if configuration.hasRefresh { query.append(("oid", Base64URL.encode(identifier.utf8))) }
        if let policies = options.policies {
            query.append(("policies", Base64URL.encode(policies.utf8)))
        }
        return query
    }

    /// A text as AM puts it into the label: escaped for a URI fragment (RFC 3986, section 3.5), so
    /// `:`, `@`, `/`, `?`, `&`, `=` and `+` stay.
    private static func escaped(_ text: String) -> String {
        text.percentEncoded(keeping: "-._~!$'()*,;&=@:+/?")
    }
}

extension ForgeRockSimulator.EnrollmentOptions.Kind {
    fileprivate var prefix: String {
        switch self {
        case .push: "pushauth://push"
        case .pushAndTOTP: "mfauth://totp"
        case .pushAndHOTP: "mfauth://hotp"
        case .totp: "otpauth://totp"
        case .hotp: "otpauth://hotp"
        }
    }

    fileprivate var isCounted: Bool { self == .pushAndHOTP || self == .hotp }
}

extension ForgeRockSimulator {
    /// What an invitation offers, and how it looks.
    public struct EnrollmentOptions: Hashable, Sendable {
        /// What the user enrolls.
        @nonexhaustive
        public enum Kind: Hashable, Sendable {
            /// Push alone: `pushauth://push/…`.
            case push
            /// Push and time-based codes in one: `mfauth://totp/…`, from AM 7.3.
            case pushAndTOTP
            /// Push and counter-based codes in one: `mfauth://hotp/…`, from AM 7.3.
            case pushAndHOTP
            /// Time-based codes alone: `otpauth://totp/…`.
            case totp
            /// Counter-based codes alone: `otpauth://hotp/…`.
            case hotp
        }

        /// What the user enrolls.
        public var kind: Kind

        /// The account shown on the device; the user's name if `nil`.
        public var account: String?

        /// The background color, six hexadecimal digits; a leading `#` is dropped.
        public var color = "032b75"

        /// The URL of a logo. A combined invitation carries it raw, as AM does, so there an `&` or
        /// `#` in it cuts the query.
        public var image: String?

        /// Device policies, as JSON text; only combined invitations carry them.
        public var policies: String?

        /// What the one-time codes are made with, where there are any.
        public var codes = CodeOptions()

        /// Creates options.
        public init(_ kind: Kind = .push, account: String? = nil) {
            self.kind = kind
            self.account = account
        }
    }
}
