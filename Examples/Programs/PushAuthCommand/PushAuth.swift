import ArgumentParser
import TerminalIO

struct PushAuth: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pushauth",
        abstract: "A push authenticator without a phone: enroll, receive, approve, deny.",
        discussion: """
            It keeps its enrollments in an encrypted store under the XDG data directory, and talks \
            to the vendors' servers as an app on a phone would.

            A first run, in two shells:
              pushauth listen --fcm 127.0.0.1:0 --credentials push   receive pushes
              pushauth enroll 'pushauth://...'   join an account by the text of its QR code
              pushauth approve 3f9a              answer, by as much of its ID as is unique

            Without a person, `listen --policy FILE` answers by rules; `pending` asks vendors that \
            have a list what waits.

            A vendor may have several providers: a section [providers.NAME] of the configuration, with \
            vendor = "...", makes one more, called NAME.

            Paths can be given by environment variables, which an option wins over: \
            \(PathVariable.allCases.map(\.rawValue).joined(separator: ", ")).

            Exit codes: \(ExitStatus.table)
            """,
        version: Version.text,
        subcommands: [
            EnrollCommand.self, ListCommand.self, ShowCommand.self, RefreshCommand.self,
            RemoveCommand.self, GuardCommand.self, ExportCommand.self, ImportCommand.self,
            TokenCommand.self,
            CodeCommand.self, PendingCommand.self, WatchCommand.self, ApproveCommand.self,
            DenyCommand.self, ChooseCommand.self, EnterCommand.self, ScanCommand.self,
            SignCommand.self, ListenCommand.self, InspectCommand.self, InboxCommand.self,
            HistoryCommand.self, DoctorCommand.self, DeviceCommand.self, FleetCommand.self,
            CompletionsCommand.self,
        ])
}
