import ArgumentParser
import TerminalIO
public import VendorRegistration

/// The program `pushauth`, for an executable that says which vendors it links.
public enum PushAuthProgram {
    /// Runs the command that the program was started with, and ends the process if it fails.
    ///
    /// - Parameter vendors: The vendors, in the order in which their providers are asked; no two have
    ///   the same name.
    public static func run(linking vendors: [LinkedVendor]) async {
        HelpWidth.makeEnough()
        do {
            var command = try PushAuth.parseAsRoot()
            if var linking = command as? any LinkingCommand {
                linking.options.vendors = vendors
                try await linking.run()
            } else {
                try command.run()
            }
        } catch {
            PushAuth.exit(withError: error)
        }
    }
}

/// A command that needs to know which vendors the program links.
protocol LinkingCommand: AsyncParsableCommand {
    var options: GlobalOptions { get set }
}
