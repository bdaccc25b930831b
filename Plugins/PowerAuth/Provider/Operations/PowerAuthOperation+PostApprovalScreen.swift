public import PushCore

extension PowerAuthOperation {
    /// What the user sees after the approval; untrusted texts.
    public struct PostApprovalScreen: Hashable, Sendable {
        /// What a screen holds.
        @nonexhaustive
        public enum Content: Hashable, Sendable {
            /// `REVIEW`: what was approved, once more.
            case review([PowerAuthAttribute])
            /// `MERCHANT_REDIRECT`: the way back to a shop. An app decides whether it follows.
            case merchantRedirect(Redirect)
            /// `GENERIC`: whatever this server and this app have agreed on.
            case generic(JSON)
            /// A kind that this version doesn't know, as it came.
            case unknown(String)
        }

        /// The way back to a shop.
        public struct Redirect: Hashable, Sendable {
            /// What the button says.
            public let redirectText: String

            /// Where it leads: a text that nobody has checked.
            public let redirectUrl: String

            /// After how many seconds it goes on by itself.
            public let countdown: Int
        }

        /// What it is called.
        public let heading: String?

        /// What it says.
        public let message: String?

        /// What it holds, by the members `type` and `payload`.
        public let content: Content

        /// `nil` if it can't be read: by then the operation is approved.
        init?(_ json: JSON) {
            guard let type = json["type"]?.string else { return nil }
            let payload = json["payload"]
            switch type {
            case "REVIEW":
                guard let attributes = payload?["attributes"]?.array else { return nil }
                content = .review(attributes.map(PowerAuthAttribute.init))
            case "MERCHANT_REDIRECT":
                guard let text = payload?["redirectText"]?.string,
                    let url = payload?["redirectUrl"]?.string,
                    let countdown = payload?["countdown"]?.integer.flatMap(Int.init(exactly:)),
                    countdown >= 0
                else { return nil }
                content = .merchantRedirect(
                    Redirect(redirectText: text, redirectUrl: url, countdown: countdown))
            case "GENERIC": content = .generic(payload ?? .null)
            default: content = .unknown(type)
            }
            heading = json["heading"]?.string
            message = json["message"]?.string
        }
    }
}
