import Foundation
import PushCore
import TerminalIO

/// Asks at the terminal, so that standard input and output stay free for data.
struct Prompt: Sendable {
    /// Whether there is somebody to ask.
    var isInteractive: Bool {
        let descriptor = open("/dev/tty", O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        close(descriptor)
        return true
    }

    /// Asks for yes or no; Enter alone is the no that the question shows.
    ///
    /// - Throws: `PushError` with the code `cancelled` for anything but yes, and with
    ///   `verificationFailed` where there is nobody to ask.
    func confirm(_ question: String) throws(PushError) {
        let answer = try ask(
            question + " [y/N] ", hidden: false, mayBeEmpty: true,
            otherwise: "To agree without being asked: --yes.")
        let isYes = answer.withBytes { bytes in
            ["y", "yes"].contains(String(decoding: bytes, as: UTF8.self).lowercased())
        }
        guard isYes else { throw PushError(.cancelled, "Not confirmed.") }
    }

    /// Asks for a line that isn't shown while it is typed.
    ///
    /// `advice` says what to do where there is nobody to ask.
    func hidden(_ question: String, otherwise advice: String) throws(PushError) -> Secret {
        try ask(question, hidden: true, otherwise: advice)
    }

    /// The first line of what a file descriptor holds.
    func line(from descriptor: Int32) throws(PushError) -> Secret {
        try readLine(
            InterruptibleInput(descriptor, hidden: false), "file descriptor \(descriptor)",
            otherwise: "Open it for this process, such as by \(descriptor)< FILE in a shell.")
    }

    /// What an environment variable holds.
    func variable(_ name: String) throws(PushError) -> Secret {
        guard let text = getenv(name) else {
            throw PushError(
                .verificationFailed, "There is no environment variable '\(name)'.",
                underlying: Advice("Set it, and export it to this process."))
        }
        guard text.pointee != 0 else {
            throw PushError(
                .verificationFailed, "The environment variable '\(name)' is empty.",
                underlying: Advice("Nothing was sent. Set it to what is asked for."))
        }
        return Secret(UnsafeRawBufferPointer(start: text, count: strlen(text)))
    }

    private func ask(
        _ question: String, hidden: Bool, mayBeEmpty: Bool = false, otherwise advice: String
    ) throws(PushError) -> Secret {
        let terminal = open("/dev/tty", O_RDWR | O_CLOEXEC)
        guard terminal >= 0 else {
            throw PushError(
                .verificationFailed, "There is no terminal to ask at.",
                underlying: Advice(advice))
        }
        defer { close(terminal) }
        // First: what is typed, and Ctrl-C, count as soon as the question can be seen.
        let input = InterruptibleInput(terminal, hidden: hidden) { write(question, to: terminal) }
        write(question, to: terminal)
        defer { if hidden { write("\n", to: terminal) } }
        return try readLine(input, "the terminal", mayBeEmpty: mayBeEmpty, otherwise: advice)
    }

    private func write(_ text: String, to descriptor: Int32) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes {
                Foundation.write(descriptor, $0.baseAddress, $0.count)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            bytes = bytes.dropFirst(count)
        }
    }

    private func readLine(
        _ input: InterruptibleInput, _ name: String, mayBeEmpty: Bool = false,
        otherwise advice: String
    ) throws(PushError) -> Secret {
        var line: [UInt8] = []
        defer { for index in line.indices { line[index] = 0 } }
        line.reserveCapacity(1024)
        var byte: UInt8 = 0
        while true {
            guard input.wait() else {
                throw PushError(.cancelled, "The question was given up.")
            }
            let count = read(input.descriptor, &byte, 1)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else {
                throw PushError(
                    .verificationFailed, "Reading from \(name) failed.",
                    underlying: Advice(advice))
            }
            if count == 0 || byte == UInt8(ascii: "\n") {
                if count > 0, line.isEmpty, mayBeEmpty { return Secret(line) }
                break
            }
            guard line.count < 1024 else {
                throw PushError(
                    .verificationFailed, "More than 1024 bytes came from \(name).")
            }
            line.append(byte)
        }
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        guard !line.isEmpty else { throw PushError(.cancelled, "Nothing came from \(name).") }
        return Secret(line)
    }
}
