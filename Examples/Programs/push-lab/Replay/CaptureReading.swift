import Foundation
import PushCapture
import PushCore
import TerminalIO

/// Why a capture can't be played: the line, and what is wrong with it.
struct ReplayFailure: Error {
    let text: String

    init(_ text: String, line: Int? = nil) {
        self.text = (line.map { "line \($0): " } ?? "") + text
    }
}

/// A capture, as `pushauth --capture` writes it (`docs/capture-format.md`).
struct CaptureReading {
    /// One line after the header.
    struct Line {
        let number: Int
        let members: JSON.Object

        var event: String { members["event"]?.string ?? "" }
        var challenge: String? { members["challenge"]?.string }
        var verdict: String? { members["verdict"]?.string }
    }

    /// The lines of each provider, with its vendor, in the order of the header; exchanges name none and
    /// are in every list.
    let providers: [(vendor: String, lines: [Line])]

    /// - Parameters:
    ///   - data: The file.
    ///   - vendors: The vendors that can be played.
    /// - Throws: `ReplayFailure` that names the line that is at fault.
    init(_ data: Data, knowing vendors: [String]) throws(ReplayFailure) {
        let rows = data.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        let names = try Self.header(rows.first.map { Data($0) } ?? Data())
        if let last = rows.last, !last.isEmpty {
            throw ReplayFailure(
                "The capture is cut in the middle of a line. Without that line, the others can be played.",
                line: rows.count)
        }
        var lines: [Line] = []
        for (index, row) in rows.enumerated().dropFirst().dropLast() {
            guard let members = (try? JSON(parsing: Data(row)))?.object,
                members["event"]?.string != nil
            else { throw ReplayFailure("This is no line of a capture.", line: index + 1) }
            lines.append(Line(number: index + 1, members: members))
        }
        for line in lines {
            if let status = line.members["status"], !(100...999).contains(status.integer ?? 0) {
                throw ReplayFailure("The status of a reply has three digits.", line: line.number)
            }
            guard let provider = line.members["provider"]?.string else { continue }
            guard let vendor = names.first(where: { $0.name == provider })?.vendor else {
                throw ReplayFailure(
                    "The header has no provider '\(printable(provider))'.", line: line.number)
            }
            guard vendors.contains(vendor) else {
                throw ReplayFailure(
                    "It is about the vendor '\(printable(vendor))', which this program doesn't know. "
                        + "Known: \(vendors.joined(separator: ", ")).", line: line.number)
            }
        }
        providers = names.map { name, vendor in
            (vendor, lines.filter { [name, nil].contains($0.members["provider"]?.string) })
        }
    }

    private static func header(
        _ row: Data
    ) throws(ReplayFailure) -> [(name: String, vendor: String)] {
        guard let header = (try? JSON(parsing: row))?.object,
            let version = header["pushcap"]?.integer
        else {
            throw ReplayFailure(
                "This is no capture: its first line would have \"pushcap\".", line: 1)
        }
        guard version <= CaptureLog.version, version >= 1 else {
            throw ReplayFailure(
                "The capture has version \(version) of the format, and this program reads "
                    + "\(CaptureLog.version): take a newer push-lab.", line: 1)
        }
        guard let providers = header["providers"]?.object else {
            throw ReplayFailure("The header names no providers.", line: 1)
        }
        var names: [(String, String)] = []
        for (name, vendor) in providers.members {
            guard let vendor = vendor.string else {
                throw ReplayFailure("The header's providers aren't names of vendors.", line: 1)
            }
            names.append((name, vendor))
        }
        return names
    }
}
