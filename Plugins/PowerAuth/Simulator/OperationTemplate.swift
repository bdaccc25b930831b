public import PushCore

extension PowerAuthSimulator {
    /// What a back office asks a user to approve.
    public struct OperationTemplate: Hashable, Sendable {
        /// Its name, such as `authorize_payment`.
        public var name: String

        /// What is approved, in the form of operation data such as `A1*A100CZK`.
        public var data: String

        /// What the app shows above it.
        public var title: String

        /// What the app shows of it.
        public var message: String

        /// The lines of its form.
        public var attributes: [Attribute] = []

        /// The members of `resultTexts`; left out if empty.
        public var resultTexts: JSON.Object = [:]

        /// How it may be approved.
        public var approval = Approval.twoFactors([.possessionKnowledge, .possessionBiometry])

        /// How long it lasts.
        public var lifetime: Duration = .seconds(300)

        /// Whether the user has to be near: approving takes the one-time password that
        /// ``PowerAuthSimulator/proximityLink(of:as:)`` shows.
        public var needsProximity = false

        /// The screen before the approval; one of the type `QR_SCAN` if `nil` and
        /// ``needsProximity``.
        public var preApprovalScreen: PreApprovalScreen?

        /// The member `postApprovalScreen`; left out if `nil`.
        public var postApprovalScreen: JSON?

        /// Further members of `ui`, such as `flipButtons`.
        public var ui: JSON.Object = [:]

        /// A flag that an activation needs to approve it.
        public var requiredFlag: String?

        /// How many wrong approvals make it fail, 1 at least.
        public var maximumFailures = 5

        /// Members that replace those of the operation's JSON, or take them away if `null`.
        public var replacedMembers: JSON.Object = [:]

        /// Creates a template.
        public init(name: String, data: String, title: String, message: String) {
            self.name = name
            self.data = data
            self.title = title
            self.message = message
        }

        /// A login, as the simulator asks for it.
        public static let login: OperationTemplate = {
            var template = OperationTemplate(
                name: "login", data: "A2", title: "Confirm login",
                message: "Do you want to sign in to the internet banking?")
            template.attributes = [Attribute("channel", "Channel", .value("Web"))]
            return template
        }()

        /// A payment with an amount, an account and a note.
        public static let payment: OperationTemplate = {
            var template = OperationTemplate(
                name: "authorize_payment",
                data: "A1*A100CZK*Q238400856/0300**D20190629*NUtility Bill Payment - 05/2019",
                title: "Confirm payment", message: "Please confirm this payment")
            template.attributes = [
                Attribute(
                    "amount", "Amount", .amount(Money(100, "CZK", shown: "100.00 CZK"))),
                Attribute("account", "To account", .value("238400856/0300")),
                Attribute("note", "Note", .note("Utility Bill Payment - 05/2019")),
            ]
            return template
        }()
    }

    /// How an operation may be approved.
    @nonexhaustive
    public enum Approval: Hashable, Sendable {
        /// By the device alone.
        case oneFactor
        /// By two factors, in one of these ways.
        case twoFactors([SignatureType])
    }
}

extension PowerAuthSimulator.Approval {
    var json: JSON {
        switch self {
        case .oneFactor: ["type": "1FA", "variants": []]
        case .twoFactors(let types):
            ["type": "2FA", "variants": .array(types.map { .string($0.rawValue) })]
        }
    }

    func allows(_ type: PowerAuthSimulator.SignatureType) -> Bool {
        switch self {
        case .oneFactor: type == .possession
        case .twoFactors(let types): types.contains(type)
        }
    }
}

extension PowerAuthSimulator {
    /// A screen that comes before an approval.
    public struct PreApprovalScreen: Hashable, Sendable {
        /// Its type: `INFO`, `WARNING`, `QR_SCAN`, or any other.
        public var type: String

        /// Its heading.
        public var heading: String

        /// Its text.
        public var message: String

        /// Its list; left out if `nil`.
        public var items: [String]?

        /// How the user goes on, such as `SLIDER`; left out if `nil`.
        public var approvalType: String?

        /// Creates a screen.
        public init(_ type: String, heading: String, message: String) {
            self.type = type
            self.heading = heading
            self.message = message
        }

        var json: JSON {
            var members: JSON.Object = [
                "type": .string(type), "heading": .string(heading), "message": .string(message),
            ]
            members["items"] = items.map { .array($0.map { .string($0) }) }
            members["approvalType"] = approvalType.map { .string($0) }
            return .object(members)
        }
    }
}
