import PushCore

extension PowerAuthOperation {
    /// What the user sees before the approval; untrusted texts.
    public struct PreApprovalScreen: Hashable, Sendable {
        /// What a screen is for.
        @nonexhaustive
        public enum Kind: Hashable, Sendable {
            /// `INFO`: it tells something.
            case info
            /// `WARNING`: it warns.
            case warning
            /// `QR_SCAN`: it scans the proximity code from the other screen. Without one there is
            /// no approval.
            case qrScan
            /// A kind that this version doesn't know, as it came. The operation can only be
            /// rejected.
            case unknown(String)

            init(_ text: String) {
                switch text {
                case "INFO": self = .info
                case "WARNING": self = .warning
                case "QR_SCAN": self = .qrScan
                default: self = .unknown(text)
                }
            }
        }

        /// What it is for.
        public let type: Kind

        /// What it is called.
        public let heading: String?

        /// What it says.
        public let message: String?

        /// What it says, point by point.
        public let items: [String]

        /// How the user goes on, such as `SLIDER`.
        public let approvalType: String?

        /// Whether all that it says could be read. If not, the operation can only be rejected.
        let isWhole: Bool

        init(_ json: JSON) throws(PushError) {
            let members = try Members(json)
            type = Kind(try members.text("type"))
            heading = members.shown("heading")
            message = members.shown("message")
            let list = members["items"]
            items = (list?.array ?? []).compactMap(\.string)
            approvalType = members.shown("approvalType")
            isWhole =
                (list == nil || list?.array?.count == items.count)
                && ["heading", "message"].allSatisfy { name in
                    members[name] == nil || members.shown(name) != nil
                }
        }
    }
}
