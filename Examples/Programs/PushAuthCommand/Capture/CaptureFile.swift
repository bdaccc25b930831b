import Foundation
import PushCapture
import PushCore
import PushPlatform
import TerminalIO

/// A new file that takes what came and went, for a bug report.
///
/// A line is in the system's hands when the call returns, so a process that is killed leaves whole
/// lines. The log calls it for one line at a time, which is why `@unchecked Sendable` is safe.
final class CaptureFile: @unchecked Sendable {
    private var file: FileHandle?

    /// - Throws: `Failure` if there is a file of this name, or it can't be made.
    init(at path: String) throws(Failure) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else {
            let error = SystemError(code: errno)
            guard error.code == EEXIST else {
                throw Failure(
                    .store, "The capture \(path) can't be made: \(error.cause).",
                    advice: error.advice)
            }
            throw Failure(
                .failed, "There is a file \(path) already, and a capture overwrites none.",
                advice: "Name another file: each command makes its own.")
        }
        file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    }

    /// A line that can't be written ends the capture, and nothing else.
    func write(_ line: String) {
        do {
            try file?.write(contentsOf: Data((line + "\n").utf8))
        } catch {
            file = nil
            Terminal.error.write("pushauth: The capture can't be written any more.\n")
        }
    }
}

/// Sees what a command does, and writes it down.
struct Capture: Instrument {
    private let log: CaptureLog

    init(at path: String, of linked: LinkedProviders) throws(Failure) {
        let file = try CaptureFile(at: path)
        log = CaptureLog(
            by: "pushauth " + Version.text, of: linked.vendorNames, write: file.write)
    }

    func around(_ transport: any Transport) -> any Transport { log.around(transport) }

    func around(_ providers: [any PushProvider]) -> [any PushProvider] { log.around(providers) }

    func watch(_ authenticator: PushAuthenticator) { log.watch(authenticator) }

    func observe(_ observation: PushObservation) { log.observe(observation) }

    func observe(_ step: ObservedStep) { log.observe(step) }
}
