public import PushCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// What a verified push says, under the names of PlusAuth's documentation: the claims of its
/// `context`.
///
/// It's the `details(as:)` of a challenge of this plugin. Texts are made safe to show: cut to 200
/// characters, without control and bidirectional characters, and `nil` if empty.
public struct PushContext: Sendable {
    /// What the push asks for.
    @nonexhaustive
    public enum Kind: Hashable, Sendable {
        /// `code`: choose the text that the login page shows.
        case code([String])
        /// `prompt`: accept or reject.
        case prompt
        /// A type that this version doesn't know; see ``PushContext/rawType``.
        case other
    }

    /// What the server wants set.
    public struct Settings: Hashable, Sendable {
        /// `bind_sim`: whether the account is bound to its SIM cards; `nil` if the push doesn't say.
        public let bindSIM: Bool?
    }

    /// `exp`: when the challenge ends, by the server's clock.
    public let exp: Date

    /// `iat`: when the server made it, by its clock.
    public let iat: Date

    /// `context_token`: the bearer token of the answer.
    public let contextToken: Secret

    /// `resolve_url`: where the answer goes, of an origin that was checked; `nil` if the push
    /// doesn't say.
    public let resolveURL: String?

    /// `type` and `values`, as this version understands them.
    public let type: Kind

    /// `type`, as it was sent.
    public let rawType: String

    /// `values`: what to choose from, exactly as the answer must repeat it; empty unless the type
    /// is `code`.
    public let values: [String]

    /// `settings`.
    public let settings: Settings?

    /// `info`: who asks, from where; for display only.
    public let info: Info?
}

extension PushContext {
    /// Who asks for access, and from where. PlusAuth may leave out any part of it.
    public struct Info: Hashable, Sendable {
        /// `application`: what is accessed.
        public let application: String?

        /// `ip`: the address of the browser.
        public let ip: String?

        /// `user_identifier`: e-mail, phone, user name, or another property of the user.
        public let userIdentifier: String?

        /// `agent`: the browser.
        public let agent: Agent?

        /// `location`: where the browser is thought to be.
        public let location: Location?
    }

    /// The browser that signs in, as PlusAuth parsed its `User-Agent`.
    public struct Agent: Hashable, Sendable {
        /// `browser`.
        public struct Browser: Hashable, Sendable {
            /// `name`, such as Firefox.
            public let name: String?
            /// `version`.
            public let version: String?
            /// `major`: the first part of the version.
            public let major: String?
        }

        /// `cpu`.
        public struct CPU: Hashable, Sendable {
            /// `architecture`, such as amd64.
            public let architecture: String?
        }

        /// `device`.
        public struct Device: Hashable, Sendable {
            /// `type`, such as mobile.
            public let type: String?
            /// `vendor`.
            public let vendor: String?
            /// `model`.
            public let model: String?
        }

        /// A name and a version: `engine` and `os`.
        public struct Product: Hashable, Sendable {
            /// `name`.
            public let name: String?
            /// `version`.
            public let version: String?
        }

        /// `ua`: the whole `User-Agent`.
        public let ua: String?
        /// `browser`.
        public let browser: Browser?
        /// `cpu`.
        public let cpu: CPU?
        /// `device`.
        public let device: Device?
        /// `engine`.
        public let engine: Product?
        /// `os`.
        public let os: Product?
    }

    /// Where the browser is thought to be.
    public struct Location: Hashable, Sendable {
        /// `coordinates`.
        public struct Coordinates: Hashable, Sendable {
            /// `accuracy_radius`; the documentation gives no unit.
            public let accuracyRadius: Double?
            /// `latitude`, in degrees north.
            public let latitude: Double?
            /// `longitude`, in degrees east.
            public let longitude: Double?
            /// `time_zone`: its IANA name.
            public let timeZone: String?
        }

        /// `city`, in English.
        public let city: String?
        /// `country`: an ISO 3166 code of two or three letters.
        public let country: String?
        /// `postal_code`.
        public let postalCode: String?
        /// `coordinates`.
        public let coordinates: Coordinates?
        /// `time_zone`, where it stands beside the coordinates instead of among them.
        public let timeZone: String?
    }
}
