import ArgumentParser
import TerminalIO

@main
struct PushLab: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "push-lab",
        abstract: "Vendors' push servers on this machine, and the SDK as their device.",
        discussion: """
            The servers are simulators, and listen on the loopback interface only. Nothing leaves \
            this machine, unless 'pin' is asked about a server elsewhere.
            """,
        version: Version.text,
        subcommands: [
            DemoCommand.self, PinCommand.self, QRCommand.self, ReplayCommand.self,
            ServeCommand.self, SoakCommand.self,
            SoakDeviceCommand.self,
            SoakServerCommand.self, LoadCommand.self, LoadLoopCommand.self,
            CounterDeviceCommand.self,
        ])

    static func main() async {
        HelpWidth.makeEnough()
        await main(nil)
    }
}
