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

        init(_ members: Members) throws(PushError) {
            alertType = Kind(try members.text("alertType"))
            title = try members.optionalText("title")
            message = try members.optionalText("message")
            guard title != nil || message != nil else { throw Members.missing }
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

        init(_ members: Members) throws(PushError) {
            name = try members.text("name")
            guard !DisplayText.isBlank(name) else { throw Members.missing }
            logoUrl = try members.optionalText("logoUrl")
            description = try members.optionalText("description")
            websiteUrl = try members.optionalText("websiteUrl")
        }
    }

    /// A picture.
    public struct Image: Hashable, Sendable {
        /// Where a small copy is: a text that nobody has checked.
        public let thumbnailUrl: String

        /// Where the picture is: a text that nobody has checked.
        public let originalUrl: String?

        init(_ members: Members) throws(PushError) {
            thumbnailUrl = try members.text("thumbnailUrl")
            originalUrl = try members.optionalText("originalUrl")
        }
    }
}
