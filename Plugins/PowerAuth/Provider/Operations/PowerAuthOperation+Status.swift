extension PowerAuthOperation {
    /// The state of an operation.
    @nonexhaustive
    public enum Status: Hashable, Sendable {
        /// `PENDING`: it waits for an answer. Also where the server doesn't say.
        case pending
        /// `APPROVED`: the user said yes.
        case approved
        /// `REJECTED`: the user said no.
        case rejected
        /// `CANCELED`: it was taken back.
        case canceled
        /// `EXPIRED`: its time ran out.
        case expired
        /// `FAILED`: approving failed too often.
        case failed
        /// A state that this version doesn't know, as it came. It can't be answered.
        case unknown(String)

        private static let documented: [Self] = [
            .pending, .approved, .rejected, .canceled, .expired, .failed,
        ]

        init(_ text: String) {
            self =
                Self.documented.first { $0.text.utf8.elementsEqual(text.utf8) } ?? .unknown(text)
        }

        /// The state as the server writes it.
        public var text: String {
            switch self {
            case .pending: "PENDING"
            case .approved: "APPROVED"
            case .rejected: "REJECTED"
            case .canceled: "CANCELED"
            case .expired: "EXPIRED"
            case .failed: "FAILED"
            case .unknown(let text): text
            }
        }
    }
}
