import ArgumentParser
import Foundation
import PushCore

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

    func run() async throws {
        let report: PinReport
        do {
            report = try await look()
        } catch let failure as PinFailure {
            switch failure {
            case .usage(let text): throw ValidationError(text)
            case .failed(let text):
                let label = Terminal.error.colored("Error:", .red)
                Terminal.error.write("\(label) \(text)\n")
                throw ExitCode.failure
            }
        }
        print(json ? report.json : report.text(for: Terminal.output))
    }

    private func look() async throws -> PinReport {
        switch try PinTarget(target) {
        case .file(let file):
            guard authorities == nil else {
                throw PinFailure.usage("--authorities is for a server; a file isn't verified.")
            }
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
enum PinFailure: Error {
    case usage(String)
    case failed(String)
}

/// What the user asks about.
enum PinTarget {
    case file(String)
    case server(Endpoint)

    /// Takes what exists as a file for one, and what can only be a path.
    init(_ text: String) throws(PinFailure) {
        guard !text.contains("://") else {
            throw .usage("Give a host such as acme.example:443, not a URL.")
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
            throw .usage("'\(printable(text))' is neither a file nor a host with an optional port.")
        }
        self = .server(endpoint)
    }
}
