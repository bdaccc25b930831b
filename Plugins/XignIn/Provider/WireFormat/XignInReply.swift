/// What a manager provably said.
public enum XignInReply<Value: Sendable>: Sendable {
    /// It did what it was asked.
    case done(Value)
    /// It refused.
    case refused(XignInRefusal)

    /// The same reply with its value read in another way.
    package func map<Other: Sendable, Failure: Error>(
        _ body: (Value) throws(Failure) -> Other
    ) throws(Failure) -> XignInReply<Other> {
        switch self {
        case .done(let value): .done(try body(value))
        case .refused(let refusal): .refused(refusal)
        }
    }
}
