/// Something deliberately broken, to see that the checker notices.
public enum Mutation: String, CaseIterable, Sendable {
    /// The store says that it wrote what became of a challenge, and sometimes didn't.
    case pretendsToWrite
    /// The store ignores what a write replaces.
    case ignoresRevisions
    /// The store comes back without all challenges after a restart.
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
    /// The store says that it wrote another credential, and sometimes didn't.
    case losesCounters
    /// The store says that it deleted an enrollment with its challenges, and didn't.
    case keepsRows
    /// The provider says that it told a device token, and didn't.
    case tellsNoToken
    /// The provider finds nothing where something waits.
    case listsNothing
    /// The network takes a server's wish to be left alone out of its replies.
    case hidesPauses
    /// The network never comes back from some requests.
    case hangs
    /// The provider takes a stranger's refusal for the vendor's, and for one that leaves it open.
    case believesStrangers
    /// The provider says of each refusal that no earlier copy was taken, nor will be.
    case vouchesForCopies
    /// A single lie about the time counts as two that agree.
    case notesLiesTwice
    /// The provider tells the time that one enrollment's key signed as every other's, too.
    case sharesSignedTimes
    /// Nothing passes between two questions that hints make the device ask.
    case asksAtEachHint
    /// The provider calls its whole list a part.
    case listsIncompletely
    /// The provider doesn't say what became of a challenge that its list lacks.
    case saysNoEnd
    /// The store replaces an enrollment's record whatever it holds meanwhile.
    case decidesAnyway
    /// The store takes a change that conflicts for made.
    case takesConflicts
    /// The store forgets that something waits in a record.
    case losesMarks
    /// The store returns the device token of one push service for that of the other.
    case confusesServices
}
