import ArgumentParser

/// What belongs to a process of a fleet.
struct FleetOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            What this process of a fleet is called: one that starts again under its name goes on at \
            once with what it left. No two have the same.
            """, valueName: "name"))
    var instance: String?

    @Option(
        help: ArgumentHelp(
            """
            How often to look for what other processes of the fleet left, about; each is out of step with \
            the others.
            """, valueName: "seconds"))
    var takeUp = 30

    @Option(
        help: ArgumentHelp(
            """
            Answer GET /ready at an address of its own, for a fleet's balancer; the other intakes \
            answer it, too.
            """, valueName: "address:port"))
    var ready: IntakeAddress?

    mutating func validate() throws {
        guard (1...3600).contains(takeUp) else {
            throw ValidationError("--take-up takes 1 to 3600 seconds.")
        }
        guard instance.map({ (1...64).contains($0.utf8.count) }) ?? true else {
            throw ValidationError("--instance takes a name of 1 to 64 bytes.")
        }
    }

    /// - Throws: What is wrong if there is no fleet.
    func checkUnused() throws {
        guard instance == nil, ready == nil else {
            throw ValidationError(
                "--instance and --ready go with a store that machines share, without --device.")
        }
    }
}
