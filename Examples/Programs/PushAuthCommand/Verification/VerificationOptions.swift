import ArgumentParser
import PushCore

/// How the user is verified when a vendor asks for it. A PIN is never an argument: others on this
/// machine could read it.
struct VerificationOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Read the PIN from this file descriptor.", valueName: "number"))
    var pinFd: Int32?

    @Option(help: ArgumentHelp("Read the PIN from this environment variable.", valueName: "name"))
    var pinEnv: String?

    @Option(
        help: ArgumentHelp(
            "Read the secret that biometry unlocks on a phone from this file descriptor.",
            valueName: "number"))
    var biometryFd: Int32?

    @Option(
        help: ArgumentHelp(
            "Read the secret that biometry unlocks on a phone from this environment variable.",
            valueName: "name"))
    var biometryEnv: String?

    @Option(
        help: ArgumentHelp(
            "Read a code that a vendor asks for, such as an activation code, from this variable.",
            valueName: "name"))
    var codeEnv: String?

    @Flag(help: "Vouch for the user's biometry or device lock: there is no sensor here.")
    var vouch = false

    @Flag(name: .shortAndLong, help: "Don't ask whether it is meant.")
    var yes = false

    /// The PIN, where it was read ahead.
    var keptPIN: Secret?

    /// The same of what biometry unlocks.
    var keptBiometry: Secret?

    enum CodingKeys: String, CodingKey {
        case pinFd, pinEnv, biometryFd, biometryEnv, codeEnv, vouch, yes
    }

    func validate() throws {
        if let pinFd { try CallersDescriptor(number: pinFd).check() }
        if let biometryFd { try CallersDescriptor(number: biometryFd).check() }
        guard pinFd == nil || pinFd != biometryFd else {
            throw ValidationError("--pin-fd and --biometry-fd name one descriptor.")
        }
    }

    /// Whether an option brings the PIN.
    var bringsPIN: Bool { pinFd != nil || pinEnv != nil }

    /// Whether an option brings what biometry unlocks.
    var bringsBiometry: Bool { biometryFd != nil || biometryEnv != nil }
}

extension VerificationOptions {
    /// The same for a process that answers many times: what was read from a descriptor is gone
    /// after the first time, so it is read once and kept.
    func readOnce() throws(Failure) -> VerificationOptions {
        var options = self
        do {
            if let pinFd { options.keptPIN = try Prompt().line(from: pinFd) }
            if let biometryFd { options.keptBiometry = try Prompt().line(from: biometryFd) }
        } catch {
            throw Failure(error)
        }
        return options
    }
}
