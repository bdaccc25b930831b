public import PushCore

extension PowerAuthOperation {
    /// How an operation is shown, and what stands before and after the approval.
    public struct UI: Hashable, Sendable {
        /// Whether the buttons for yes and no change places.
        public let flipButtons: Bool

        /// Whether the operation mustn't be approved during a phone call; see
        /// ``PowerAuthApproval/isOnCall``.
        public let blockApprovalOnCall: Bool

        /// The screen before the approval.
        public let preApprovalScreen: PreApprovalScreen?

        /// Several screens before the approval, in order. Known from a change log of the vendor's
        /// alone.
        public let preApprovalScreens: [PreApprovalScreen]

        /// The screen after the approval.
        public let postApprovalScreen: PostApprovalScreen?

        /// How the attributes are laid out, as the server sent it; nothing here depends on it.
        public let templates: JSON?

        /// A flag that isn't one makes the whole operation unreadable: it might forbid something.
        /// So does a screen before the approval.
        init(_ json: JSON?) throws(PushError) {
            guard let json else {
                (flipButtons, blockApprovalOnCall) = (false, false)
                (preApprovalScreen, preApprovalScreens) = (nil, [])
                (postApprovalScreen, templates) = (nil, nil)
                return
            }
            let members = try MemberReader(json)
            flipButtons = try members.flag("flipButtons")
            blockApprovalOnCall = try members.flag("blockApprovalOnCall")
            preApprovalScreen = try members["preApprovalScreen"].map {
                (json) throws(PushError) in try PreApprovalScreen(json)
            }
            var screens: [PreApprovalScreen] = []
            if let several = members["preApprovalScreens"] {
                guard let array = several.array else {
                    throw MemberReader.wrong("preApprovalScreens")
                }
                for json in array { screens.append(try PreApprovalScreen(json)) }
            }
            preApprovalScreens = screens
            postApprovalScreen = members["postApprovalScreen"].flatMap(PostApprovalScreen.init)
            templates = members["templates"]
        }
    }
}

extension PowerAuthOperation.UI {
    /// Every screen before the approval.
    var screens: [PowerAuthOperation.PreApprovalScreen] {
        (preApprovalScreen.map { [$0] } ?? []) + preApprovalScreens
    }

    /// Whether the other screen's proximity code must be scanned before the approval.
    var needsProximityCode: Bool { screens.contains { $0.type == .qrScan } }

    /// Whether a screen before the approval is of a kind that this version doesn't know.
    var hasUnknownScreen: Bool {
        screens.contains { if case .unknown = $0.type { true } else { false } }
    }
}

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
            /// `QR_SCAN`: it scans the proximity code from the other screen. Without a code there
            /// is no approval.
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
            let members = try MemberReader(json)
            type = Kind(try members.text("type"))
            heading = members["heading"]?.string
            message = members["message"]?.string
            let list = members["items"]
            items = (list?.array ?? []).compactMap(\.string)
            approvalType = members["approvalType"]?.string
            isWhole =
                (list == nil || list?.array?.count == items.count)
                && ["heading", "message"].allSatisfy { name in
                    members[name] == nil || members[name]?.string != nil
                }
        }
    }
}

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
