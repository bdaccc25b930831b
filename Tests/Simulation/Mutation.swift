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
    /// The store says that it wrote a credential anew, and sometimes didn't.
    case losesCounters
    /// The store says that it deleted a ledger row, and didn't.
    case keepsRows
    /// The provider says that it told a device token, and didn't.
    case tellsNoToken
    /// The provider finds nothing where something waits.
    case listsNothing
    /// The network takes a server's wish to be left alone out of its replies.
    case hidesPauses
    /// The network never comes back from some requests.
    case hangs
}
