import PushCore

extension XignInSimulator {
    /// Who runs the service, as the user is shown before confirming.
    public struct Organization: Hashable, Sendable {
        /// The organization's name.
        public var name: String?

        /// Its web site.
        public var websiteURL: String?

        /// Its postal address.
        public var address: String?

        /// What it is, in a sentence.
        public var description: String?

        /// Creates an organization.
        public init(
            name: String?, websiteURL: String? = nil, address: String? = nil,
            description: String? = nil
        ) {
            self.name = name
            self.websiteURL = websiteURL
            self.address = address
            self.description = description
        }

        var json: JSON {
            [
                "name": JSON(name), "website_url": JSON(websiteURL), "address": JSON(address),
                "description": JSON(description),
            ]
        }
    }
}
