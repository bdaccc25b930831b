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
            let members = try Members(json)
            flipButtons = try members.flag("flipButtons")
            blockApprovalOnCall = try members.flag("blockApprovalOnCall")
            preApprovalScreen = try members["preApprovalScreen"].map {
                (json) throws(PushError) in try PreApprovalScreen(json)
            }
            var screens: [PreApprovalScreen] = []
            if let several = members["preApprovalScreens"] {
                guard let array = several.array else { throw Members.missing }
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
