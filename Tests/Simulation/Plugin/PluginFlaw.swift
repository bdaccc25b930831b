public import PushCore
public import PushTesting

/// Something that any plugin could get wrong, and the part of the check against its vendor's server that
/// must find it.
public enum PluginFlaw: String, CaseIterable, Sendable {
    /// It takes a stranger's code for its vendor's.
    case offersAnything
    /// It says that an enrollment is done of which it doesn't know.
    case saysDone
    /// An enrollment that is removed stays.
    case removesNothing
    /// It says "delivered", and sends nothing.
    case answersNobody
    /// It never says "delivered".
    case saysNothing
    /// A copy of an answer that was taken is said to be refused.
    case refusesCopies
    /// A copy of an answer that was taken ends its challenge.
    case endsCopies
    /// A broken connection is a delivery.
    case believesSilence
    /// Whoever can't be understood has refused.
    case refusesAtStrangers
    /// Whoever can't be understood has said that it's over.
    case endsAtStrangers
    /// A gateway's pause is the end.
    case endsAtPauses
    /// A wrong number is the last.
    case endsWrongNumbers
    /// A yes that wants biometry is asked without.
    case asksForNoProof
    /// A yes that wants a number is asked without.
    case asksForNoNumber
    /// What can't be opened is over.
    case endsUnopened
    /// What the vendor couldn't be asked about is over.
    case endsUnasked
    /// It lists the first challenge alone.
    case listsOne
    /// It lists what is another enrollment's.
    case listsForAnother
    /// It names challenges otherwise in its list than in its pushes.
    case renamesListed
    /// It calls its whole list a part.
    case listsIncompletely
    /// A list that can't be read is empty.
    case listsNothing
    /// A list that can't be read is the enrollment's end.
    case endsUnlisted
    /// It has a list that its vendor doesn't have.
    case inventsList
    /// A notice tells a secret.
    case tellsInNotice
    /// An observation tells a secret.
    case tellsInObservation

    /// What the part that must find it is called.
    public var topic: String {
        switch self {
        case .offersAnything, .removesNothing, .tellsInObservation: "enrollment"
        case .saysDone: "enrollment with a spoiled exchange"
        case .answersNobody, .saysNothing, .refusesCopies, .endsCopies, .asksForNoProof,
            .asksForNoNumber, .tellsInNotice:
            "answer"
        case .believesSilence, .refusesAtStrangers, .endsAtStrangers, .endsAtPauses:
            "answer with a spoiled exchange"
        case .endsWrongNumbers: "wrong number"
        case .endsUnopened, .endsUnasked: "opening with a spoiled reply"
        case .listsOne, .renamesListed, .listsIncompletely, .inventsList: "list"
        case .listsForAnother: "foreign list"
        case .listsNothing, .endsUnlisted: "list with a spoiled reply"
        }
    }
}

extension Vendor {
    /// The plugin with its simulator, of which something is wrong.
    ///
    /// - Throws: As ``fixtures(seed:)`` does.
    public func fixtures(
        seed: UInt64, with flaw: PluginFlaw
    ) throws(PushError) -> VendorFixtures {
        let sound = try fixtures(seed: seed)
        return sound.with { (environment) throws(PushError) in
            FlawedProvider(
                base: try sound.provider(environment), flaw: flaw, environment: environment)
        }
    }
}
