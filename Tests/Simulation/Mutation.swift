/// Something deliberately broken, to see that the checker notices.
public enum Mutation: String, CaseIterable, Sendable {
    /// The store says that it wrote a ledger row, and sometimes didn't.
    case pretendsToWrite
    /// The store ignores what a write replaces.
    case ignoresRevisions
    /// The store comes back empty of ledger rows after a restart.
    case losesRowsAtRestart
    /// The provider sends another decision than the user's.
    case altersDecisions
    /// The provider takes a broken connection for a delivery.
    case guessesDelivery
    /// The provider believes messages that nobody signed.
    case believesAnything
    /// The provider's counters stand still.
    case forgetsCounters
    /// The provider writes nothing before it enrolls.
    case enrollsUnwritten
    /// The provider takes "already answered" for another's answer, whatever was sent before.
    case forgetsCopies
}
