import PushCore

extension PowerAuthAttribute {
    /// Something to point out.
    public struct Alert: Hashable, Sendable {
        /// How serious it is.
        @nonexhaustive
        public enum Kind: Hashable, Sendable {
            /// `SUCCESS`.
            case success
            /// `INFO`.
            case info
            /// `WARNING`.
            case warning
            /// `ERROR`.
            case error
            /// A kind that this version doesn't know, as it came.
            case unknown(String)

            init(_ text: String) {
                switch text {
                case "SUCCESS": self = .success
                case "INFO": self = .info
                case "WARNING": self = .warning
                case "ERROR": self = .error
                default: self = .unknown(text)
                }
            }
        }

        /// How serious it is.
        public let alertType: Kind

        /// What it is called.
        public let title: String?

        /// What it says.
        public let message: String?

        init?(_ members: JSON.Object) {
            guard let type = members["alertType"]?.string else { return nil }
            alertType = Kind(type)
            title = members["title"]?.string
            message = members["message"]?.string
            guard title != nil || message != nil else { return nil }
        }
    }

    /// Whom an operation concerns.
    public struct PartyInfo: Hashable, Sendable {
        /// Where its logo is: a text that nobody has checked.
        public let logoUrl: String?

        /// Its name.
        public let name: String

        /// What it is.
        public let description: String?

        /// Where its website is: a text that nobody has checked.
        public let websiteUrl: String?

        init?(_ members: JSON.Object) {
            guard let name = members["name"]?.string else { return nil }
            self.name = name
            logoUrl = members["logoUrl"]?.string
            description = members["description"]?.string
            websiteUrl = members["websiteUrl"]?.string
        }
    }

    /// A picture.
    public struct Image: Hashable, Sendable {
        /// Where a small copy is: a text that nobody has checked.
        public let thumbnailUrl: String

        /// Where the picture is: a text that nobody has checked.
        public let originalUrl: String?

        init?(_ members: JSON.Object) {
            guard let thumbnail = members["thumbnailUrl"]?.string else { return nil }
            thumbnailUrl = thumbnail
            originalUrl = members["originalUrl"]?.string
        }
    }
}
