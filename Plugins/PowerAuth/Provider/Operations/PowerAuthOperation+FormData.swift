import PushCore

extension PowerAuthOperation {
    /// What is shown of an operation: untrusted texts, in the language the server was asked for.
    public struct FormData: Hashable, Sendable {
        /// What it is called.
        public let title: String

        /// What it asks.
        public let message: String

        /// What it is about, in order, each as far as it can be read.
        public let attributes: [PowerAuthAttribute]

        /// What to tell the user afterwards, if the server says it.
        public let resultTexts: ResultTexts?

        init(_ json: JSON?) throws(PushError) {
            let members = try Members(json)
            title = try members.text("title")
            message = try members.text("message")
            // What stands there in place of a list can't be read either.
            attributes =
                members["attributes"].map { json in
                    (json.array ?? [.null]).map(PowerAuthAttribute.init)
                } ?? []
            resultTexts = members["resultTexts"]?.object.map(ResultTexts.init)
        }
    }

    /// What to tell the user afterwards; untrusted texts.
    public struct ResultTexts: Hashable, Sendable {
        /// After an approval that succeeded.
        public let success: String?

        /// After an approval that failed.
        public let failure: String?

        /// After a rejection.
        public let reject: String?

        init(_ members: JSON.Object) {
            success = members["success"]?.string
            failure = members["failure"]?.string
            reject = members["reject"]?.string
        }
    }
}
