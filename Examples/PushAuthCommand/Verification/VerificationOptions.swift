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
            "Read a code that a vendor asks for, such as an activation code, from this variable.",
            valueName: "name"))
    var codeEnv: String?

    @Flag(help: "Vouch for the user's biometry or device lock: there is no sensor here.")
    var vouch = false

    @Flag(name: .shortAndLong, help: "Don't ask whether it is meant.")
    var yes = false

    /// The PIN, where it was read ahead.
    var keptPIN: Secret?

    enum CodingKeys: String, CodingKey {
        case pinFd, pinEnv, codeEnv, vouch, yes
    }

    func validate() throws {
        if let pinFd { try CallersDescriptor(number: pinFd).check() }
    }
}

extension VerificationOptions {
    /// The same for a process that answers many times: what was read from a descriptor is gone
    /// after the first time, so it is read once and kept.
    func readOnce() throws(Failure) -> VerificationOptions {
        guard let descriptor = pinFd else { return self }
        var options = self
        do {
            options.keptPIN = try Prompt().line(from: descriptor)
        } catch {
            throw Failure(error)
        }
        return options
    }
}
