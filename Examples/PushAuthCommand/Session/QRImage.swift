import Foundation
import PushCore

/// A picture with a QR code, read by zbarimg.
struct QRImage {
    let path: String

    func text() throws(Failure) -> String {
        guard FileManager.default.isReadableFile(atPath: path) else {
            throw Failure(.failed, "There is no picture \(path) that can be read.")
        }
        guard let tool = Self.tool else {
            throw Failure(
                .failed, "There is no zbarimg to read a picture with.",
                advice: "On Debian and Ubuntu: apt-get install zbar-tools.")
        }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: tool)
        process.arguments = [
            "--quiet", "--raw", "--set", "*.enable=0", "--set", "qr.enable=1", "-Sbinary", path,
        ]
        process.environment = ChildEnvironment().variables
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        do {
            try process.run()
        } catch {
            throw Failure(.failed, "\(tool) can't be started.")
        }
        let bytes = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        // One code a line; a text with line ends would be another vendor's offline code.
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        guard process.terminationStatus == 0, let text = lines.first else {
            throw Failure(.failed, "No QR code was found in \(path).")
        }
        guard lines.count == 1 else {
            throw Failure(.failed, "More than one QR code was found in \(path).")
        }
        return String(text)
    }

    /// The reader, if there is one.
    static var tool: String? {
        (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
            .map { $0 + "/zbarimg" }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
    }
}
