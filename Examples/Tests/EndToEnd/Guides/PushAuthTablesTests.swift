import ArgumentParser
import Foundation
import PushCore
import Testing

@testable import PushAuthCommand

/// The tables of `docs/guides/pushauth.md`, against the program.
@Suite struct `the tables of the guide to pushauth` {
    private let page: String
    private let vendors: String

    init() throws {
        var docs = URL(fileURLWithPath: #filePath)
        for _ in 0..<5 { docs.deleteLastPathComponent() }
        docs.append(path: "docs")
        page = try String(contentsOf: docs.appending(path: "guides/pushauth.md"), encoding: .utf8)
        vendors = try String(contentsOf: docs.appending(path: "vendors/README.md"), encoding: .utf8)
    }

    /// The rows of every table whose head begins with a word, cell by cell.
    private func rows(headed head: String, in page: String) -> [[String]] {
        var rows: [[String]] = []
        var isInside = false
        for line in page.split(separator: "\n", omittingEmptySubsequences: false) {
            guard line.hasPrefix("|") else {
                isInside = false
                continue
            }
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            if isInside, !line.hasPrefix("|-") { rows.append(cells) }
            if cells.first == head { isInside = true }
        }
        return rows
    }

    private func spans(_ pattern: Regex<Substring>, in text: String) -> Set<String> {
        Set(text.matches(of: pattern).map { String($0.output) })
    }

    /// Every option of the commands below one, of a page of its own apart.
    private func options(
        of command: any ParsableCommand.Type = PushAuth.self, besides others: Set<String> = []
    ) -> Set<String> {
        let help = PushAuth.helpMessage(for: command, columns: 200)
        return command.configuration.subcommands
            .filter { !others.contains($0.configuration.commandName ?? "") }
            .reduce(spans(/--[a-z][a-z-]+/, in: help)) { $0.union(options(of: $1)) }
    }

    @Test func `every option in a table is one, and every option is on the page`() throws {
        let named = rows(headed: "Option", in: page).reduce(into: Set<String>()) {
            $0.formUnion(spans(/--[a-z][a-z-]+/, in: $1.first ?? ""))
        }
        #expect(named.count > 30)
        let options = options()
        #expect(named.subtracting(options) == [])
        // `fleet.md` has those of a fleet's commands.
        let own = self.options(besides: ["fleet", "device"]).subtracting(["--help", "--version"])
        let missing = own.filter { !page.contains("`\($0)") && !page.contains(" \($0) ") }
        #expect(missing == [])
    }

    @Test func `the exit codes are these and no others`() throws {
        var codes = ExitStatus.allCases.map { ["\($0.rawValue)", $0.meaning] }
        codes += ["130", "143"].map { [$0] }
        let rows = rows(headed: "Code", in: page)
        #expect(rows.map { $0[0] } == codes.map { $0[0] })
        for (row, code) in zip(rows, codes) where code.count > 1 { #expect(row == code) }
        for code in codes { #expect(ExitStatus.table.contains(code[0] + " ")) }
    }

    @Test func `the variables are these and no others`() throws {
        let rows = rows(headed: "Variable", in: page)
        let named = rows.reduce(into: Set<String>()) {
            $0.formUnion(spans(/PUSHAUTH_[A-Z_]+/, in: $1[0]))
        }
        let own: Set<String> = ["PUSHAUTH_STORE_PASSWORD_FILE", "PUSHAUTH_STORE_PASSWORD"]
        #expect(named == Set(PathVariable.allCases.map(\.rawValue)).union(own))
        let options = options()
        for row in rows {
            #expect(spans(/--[a-z][a-z-]+/, in: row[1]).subtracting(options) == [])
        }
    }

    /// What a provider can do stands in a table that is checked against the code.
    @Test func `the vendors with a list are named`() throws {
        let heads = try #require(
            vendors.split(separator: "\n").first { $0.hasPrefix("| | ForgeRock") })
        let row = try #require(
            vendors.split(separator: "\n").first { $0.contains("(`pendingList`)") })
        let listing = zip(heads.split(separator: "|"), row.split(separator: "|"))
            .filter { $1.trimmingCharacters(in: .whitespaces) == "yes" }
            .map { $0.0.trimmingCharacters(in: .whitespaces) }
        #expect(listing.count > 1)
        let sentence =
            listing.dropLast().joined(separator: ", ")
            + " and \(listing.last ?? "") have such a list"
        #expect(
            page.split(whereSeparator: \.isWhitespace).joined(separator: " ").contains(sentence))
    }
}
