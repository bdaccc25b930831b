import PushCore

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
