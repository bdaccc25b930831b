import Foundation
import PosixFiles
import PushCore
import PushPlatform
import TerminalIO

/// A file that says what this program does, such as a policy: nobody but its user and root may write
/// it, or put another in its place.
struct TrustedFile {
    let path: String

    /// What it is to the user, such as "policy".
    let kind: String

    /// Larger than any that a person writes.
    private static let limit = 1 << 20

    /// As many as the system follows.
    private static let mostLinks = 40

    /// Its text.
    ///
    /// - Throws: `Failure` if it isn't there, or others could have written it.
    func read() throws(Failure) -> String {
        // Once nobody else can change what leads to it, it stays what was found.
        let descriptor = open(try place(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            let error = SystemError(code: errno)
            throw fault("it can't be read: \(error.cause).", error.advice)
        }
        var input = BoundedInput(
            descriptor: descriptor, name: "it", limit: Self.limit,
            file: FileHandle(fileDescriptor: descriptor, closeOnDealloc: true))
        let bytes: Data
        do throws(BoundedInput.Fault) {
            bytes = try input.all()
        } catch {
            throw fault(error.description, error.advice)
        }
        guard let text = String(validUTF8: bytes) else {
            throw fault("it is no text in UTF-8.", "Save it in that encoding.")
        }
        return text
    }

    /// Looks who may change it.
    ///
    /// - Throws: `Failure` if it isn't there, or others could have written it.
    func check() throws(Failure) { _ = try place() }

    /// Where it is, without links. Every name on the way is looked at as the system follows it.
    private func place() throws(Failure) -> String {
        let base = path.hasPrefix("/") ? "" : FileManager.default.currentDirectoryPath
        var names = Self.names("\(base)/\(path)")
        var place = ""
        var links = 0
        try check(status(of: "/"), "/")
        while let name = names.popLast() {
            if name == ".." {
                place = String(place[..<(place.lastIndex(of: "/") ?? place.startIndex)])
                continue
            }
            let next = "\(place)/\(name)"
            let status = try status(of: next)
            switch status.kind {
            case .link:
                links += 1
                guard links <= Self.mostLinks, status.owner == 0 || status.isOwn,
                    let target = try? FileManager.default.destinationOfSymbolicLink(atPath: next)
                else { throw fault("the link \(next) on the way to it isn't yours or root's.") }
                if target.hasPrefix("/") { place = "" }
                names += Self.names(target)
            case .directory:
                try check(status, next)
                place = next
            case .file where names.isEmpty:
                try check(status, next)
                return next
            default: throw fault("\(next) is no plain file.")
            }
        }
        throw fault("it is a directory.")
    }

    /// Whether nobody else may write it. In a directory with the sticky bit, such as `/tmp`, only its
    /// owner may take away what is there, and each name on the way has its owner looked at.
    private func check(_ status: FileStatus, _ place: String) throws(Failure) {
        guard status.owner == 0 || status.isOwn else {
            throw fault(
                "\(place) belongs to another user (\(status.owner)).",
                "It must be yours or root's, so that nobody else decides what it says.")
        }
        let isSticky = status.kind == .directory && status.mode & 0o1000 != 0
        guard status.mode & 0o022 == 0 || isSticky else {
            throw fault(
                "others may write \(place), whose mode is \(status.octal).",
                "If nobody did: chmod go-w '\(place)'.")
        }
    }

    private func status(of place: String) throws(Failure) -> FileStatus {
        guard let status = FileStatus(place, followingLink: false) else {
            let error = SystemError(code: errno)
            let isMissing = error.code == ENOENT
            throw fault(
                isMissing
                    ? "there is no \(place)." : "\(place) can't be looked at: \(error.cause).",
                error.advice)
        }
        return status
    }

    /// The names of a path, the last one first.
    private static func names(_ path: String) -> [String] {
        path.split(separator: "/").filter { $0 != "." }.map(String.init).reversed()
    }

    private func fault(_ what: String, _ advice: String? = nil) -> Failure {
        Failure(.store, "The \(kind) \(path) can't be used: \(what)", advice: advice)
    }
}
