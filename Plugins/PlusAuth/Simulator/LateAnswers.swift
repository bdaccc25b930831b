extension PlusAuthSimulator.Configuration {
    /// How an answer is refused that comes when there is nothing more to answer.
    @nonexhaustive
    public enum Refusal: Int, Hashable, Sendable, CaseIterable {
        /// 401 `unauthorized_user`.
        case unauthorized = 401
        /// 404 `entity_not_found`.
        case notFound = 404
        /// 409 `already_exists`.
        case conflict = 409
    }

    /// How each kind of late answer is refused; which statuses are real is UNCONFIRMED.
    public struct LateAnswers: Hashable, Sendable {
        /// To a context token that has already brought an answer.
        public var used = Refusal.unauthorized

        /// To a login that another device, or a one-time code, has ended.
        public var elsewhere = Refusal.conflict

        /// After the challenge's end.
        public var expired = Refusal.unauthorized

        /// Creates the choices that the documented errors suggest.
        public init() {}
    }
}
