import ArgumentParser

@main
struct PushLab: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "push-lab",
        abstract: "Vendors' push servers on this machine, and the SDK as their device.",
        discussion: """
            Nothing leaves this machine: the servers are simulators, and listen on the loopback \
            interface only.
            """,
        subcommands: [DemoCommand.self])
}
