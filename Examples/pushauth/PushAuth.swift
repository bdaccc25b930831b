import ArgumentParser
import TerminalIO

@main
struct PushAuth: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pushauth",
        abstract: "A push authenticator without a phone: enroll, receive, approve, deny.",
        discussion: """
            It keeps its enrollments in an encrypted store under the XDG data directory, and talks \
            to the vendors' servers as an app on a phone would.

            A first run:
              pushauth enroll 'pushauth://...'   join an account by the text of its QR code
              pushauth pending                   ask the servers what waits for an answer
              pushauth approve 3f9a              answer it, by as much of its ID as is unique
              pushauth listen --policy p.toml    receive pushes, and answer by rules

            Paths can be given by environment variables, which an option wins over: \
            \(PathVariable.allCases.map(\.rawValue).joined(separator: ", ")).

            Exit codes: \(ExitStatus.table)
            """,
        version: Version.text,
        subcommands: [
            EnrollCommand.self, ListCommand.self, ShowCommand.self, RefreshCommand.self,
            RemoveCommand.self, TokenCommand.self, CodeCommand.self, PendingCommand.self,
            WatchCommand.self, ApproveCommand.self, DenyCommand.self, ChooseCommand.self,
            EnterCommand.self, ListenCommand.self, InspectCommand.self, InboxCommand.self,
            HistoryCommand.self, DoctorCommand.self, CompletionsCommand.self,
        ])

    static func main() async {
        HelpWidth.makeEnough()
        await main(nil)
    }
}
