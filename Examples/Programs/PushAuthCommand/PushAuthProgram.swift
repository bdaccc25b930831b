import ArgumentParser
import Foundation
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
        // A file beyond the user's limit is an error to tell, and not this process's end.
        signal(SIGXFSZ, SIG_IGN)
        do {
            var command = try PushAuth.parseAsRoot()
            if var linking = command as? any LinkingCommand {
                linking.options.vendors = vendors
                try await linking.run()
            } else {
                try command.run()
            }
        } catch {
            if let name = Suggestion(for: CommandLine.arguments.dropFirst()).name {
                Terminal.error.write(
                    "\(PushAuth.fullMessage(for: error))\nDid you mean '\(name)'?\n")
                Foundation.exit(PushAuth.exitCode(for: error).rawValue)
            }
            PushAuth.exit(withError: error)
        }
    }
}

/// The command that was meant by a misspelt one.
struct Suggestion {
    /// `nil` if all commands are spelt right, or none is near.
    let name: String?

    init(for arguments: some Sequence<String>) {
        name = Self.meant(by: Array(arguments)[...], among: PushAuth.configuration.subcommands)
    }

    private static func meant(
        by arguments: ArraySlice<String>, among commands: [any ParsableCommand.Type]
    ) -> String? {
        guard let typed = arguments.first, !commands.isEmpty, !typed.hasPrefix("-") else {
            return nil
        }
        if let command = commands.first(where: { $0.name == typed }) {
            return meant(by: arguments.dropFirst(), among: command.configuration.subcommands)
        }
        let near = commands.map { (name: $0.name, distance: distance($0.name, typed)) }
            .filter { $0.distance <= 2 && $0.distance < typed.utf8.count }
        return near.min { $0.distance < $1.distance }?.name
    }

    /// How many letters differ (Levenshtein).
    private static func distance(_ one: String, _ other: String) -> Int {
        let other = Array(other.utf8.prefix(64))
        var row = Array(0...other.count)
        for (line, letter) in one.utf8.enumerated() {
            var next = [line + 1]
            for (column, second) in other.enumerated() {
                let change = row[column] + (letter == second ? 0 : 1)
                next.append(min(change, row[column + 1] + 1, next[column] + 1))
            }
            row = next
        }
        return row[other.count]
    }
}

extension ParsableCommand {
    fileprivate static var name: String { configuration.commandName ?? "" }
}

/// A command that needs to know which vendors the program links.
protocol LinkingCommand: AsyncParsableCommand {
    var options: GlobalOptions { get set }
}
