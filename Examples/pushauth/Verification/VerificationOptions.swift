import ArgumentParser

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
}
