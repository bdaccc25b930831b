import ArgumentParser
import Foundation
import PushCore
import TerminalIO

struct PinCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pin",
        abstract: "Print the pins of a server's certificates, or of those in a file.",
        discussion: """
            A pin is the SHA-256 of a certificate's public key, as RFC 7469 has it. A server is \
            asked for its chain twice, once to see it and once to verify it; nothing else is sent. \
            The chain is shown even if it can't be trusted, which is then said first.

            The transport looks for pins in the chain it has verified. What a server presents may \
            hold certificates that don't belong to it: pin the leaf, or an authority you know.

            Exit codes: 0 if pins were printed, whether or not the chain is trusted; 1 if there is \
            nothing to print, as the file or the host can't be read; 64 for wrong usage. Colors \
            appear on a terminal only; NO_COLOR is respected.
            """)

    @Argument(
        help: ArgumentHelp(
            "A server as HOST or HOST:PORT, or a file with certificates in PEM or one in DER. The "
                + "name of a file that exists is a file.", valueName: "host|file"))
    var target: String

    @Option(
        help: ArgumentHelp(
            "Verify a server by the authorities in this PEM file, not by the system's.",
            valueName: "file"))
    var authorities: String?

    @Flag(help: "Print one JSON object instead of text.")
    var json = false

    func validate() throws {
        switch PinTarget(target) {
        case .file where authorities != nil:
            throw ValidationError("--authorities is for a server; a file isn't verified.")
        case .neither(let why):
            throw ValidationError(why)
        case .file, .server:
            break
        }
    }

    func run() async throws {
        do throws(PinFailure) {
            let report = try await look()
            print(json ? report.json : report.text(for: Terminal.output))
        } catch {
            let label = Terminal.error.colored("Error:", .red)
            Terminal.error.write("\(label) \(error.text)\n")
            throw ExitCode.failure
        }
    }

    private func look() async throws(PinFailure) -> PinReport {
        switch PinTarget(target) {
        case .neither(let why):
            throw PinFailure(why)
        case .file(let file):
            return PinReport(
                source: file, certificates: try CertificateFile.read(file), verdict: nil)
        case .server(let server):
            let probe = try ServerProbe(server, authorities: authorities)
            let chain = try await probe.presentedChain()
            return PinReport(
                source: server.authority,
                certificates: chain.enumerated().map { ShownCertificate($1, isFirst: $0 == 0) },
                verdict: await probe.verdict())
        }
    }
}

/// Why there is nothing to print.
struct PinFailure: Error {
    let text: String

    init(_ text: String) {
        self.text = text
    }
}

/// What the user asks about.
enum PinTarget {
    case file(String)
    case server(Endpoint)
    case neither(String)

    /// Takes what exists as a file for one, and what can only be a path.
    init(_ text: String) {
        guard !text.contains("://") else {
            self = .neither("Give a host such as acme.example:443, not a URL.")
            return
        }
        let endings = [".pem", ".crt", ".cer", ".der"]
        let isPath = text.contains("/") || endings.contains { text.lowercased().hasSuffix($0) }
        var isDirectory: ObjCBool = false
        let exists = FileManager.default.fileExists(atPath: text, isDirectory: &isDirectory)
        if isPath || (exists && !isDirectory.boolValue) {
            self = .file(text)
            return
        }
        // An IPv6 address without brackets has no port.
        let colons = text.utf8.count { $0 == UInt8(ascii: ":") }
        let authority = colons > 1 && !text.hasPrefix("[") ? "[\(text)]" : text
        guard let endpoint = try? Endpoint("https://\(authority)"), endpoint.path == "/" else {
            let name = printable(text)
            self = .neither("'\(name)' is neither a file nor a host with an optional port.")
            return
        }
        self = .server(endpoint)
    }
}
