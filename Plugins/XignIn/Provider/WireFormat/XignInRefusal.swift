/// A manager's no, with what it means for the process or the activation.
@nonexhaustive
public enum XignInRefusal: Hashable, Sendable {
    /// The request makes no sense to the manager (HTTP status). Nothing has changed. Of the kept part
    /// of an answer it says that the process has another challenge now, and no verdict on the answer.
    case malformed(status: Int)
    /// The factors cover no combination the role asks for. It doesn't count as an attempt.
    case factorsMissing
    /// The request itself wasn't believed: signature, time, or a repeated identifier. Nothing has
    /// changed.
    case requestRefused(status: Int)
    /// The activation is locked; the process is dead.
    case locked(LockoutInformation)
    /// No such process.
    case processUnknown
    /// No such activation: it was ended at the manager.
    case activationUnknown
    /// Another device has it, or it was never started.
    case processTaken
    /// It is finished.
    case processFinished
    /// Its time has run out.
    case processExpired
    /// It was taken back.
    case processCancelled
    /// The manager doesn't speak any of this app's versions; the least it speaks, if it says so.
    case versionUnsupported(minimum: String?)
    /// The activation link was used by another device.
    case linkUsed
    /// The activation link's time has run out.
    case linkExpired
}
