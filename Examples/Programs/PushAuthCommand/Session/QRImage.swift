import Foundation
import PushCore
import TerminalIO

/// A picture with a QR code, read by zbarimg.
struct QRImage {
    let path: String

    /// The text of its one code, which has one line.
    func text() throws(Failure) -> String {
        let text = try wholeText()
        guard !text.contains(where: \.isNewline) else {
            throw Failure(.failed, "The QR code in \(path) has more than one line.")
        }
        return text
    }

    /// The text of its one code, with line ends if it has some.
    func wholeText() throws(Failure) -> String {
        guard FileManager.default.isReadableFile(atPath: path) else {
            throw Failure(.failed, "There is no picture \(path) that can be read.")
        }
        // The text alone doesn't show where one code ends and another begins.
        let count = try output(of: ["--xml"]).split(separator: "</symbol>").count - 1
        guard count <= 1 else {
            throw Failure(.failed, "More than one QR code was found in \(path).")
        }
        let text = try output(of: ["--raw", "-Sbinary"])
        guard count == 1, !text.isEmpty else {
            throw Failure(.failed, "No QR code was found in \(path).")
        }
        return text
    }

    private func output(of form: [String]) throws(Failure) -> String {
        guard let tool = Self.tool else {
            throw Failure(
                .failed, "There is no zbarimg to read a picture with.",
                advice: "On Debian and Ubuntu: apt-get install zbar-tools.")
        }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: tool)
        process.arguments =
            ["--quiet"] + form + ["--set", "*.enable=0", "--set", "qr.enable=1", path]
        process.environment = ChildEnvironment().variables
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        do {
            try process.run()
        } catch {
            throw Failure(.failed, "\(tool) can't be started.")
        }
        let bytes: Data
        do throws(BoundedInput.Fault) {
            let end = output.fileHandleForReading
            var input = BoundedInput(
                descriptor: end.fileDescriptor, name: "What zbarimg reads in \(path)",
                limit: 1 << 20, isText: false, file: end)
            bytes = try input.all()
        } catch {
            process.terminate()
            throw Failure(error)
        }
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Failure(.failed, "No QR code was found in \(path).")
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The reader, if there is one.
    static var tool: String? {
        (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
            .map { $0 + "/zbarimg" }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
    }
}
