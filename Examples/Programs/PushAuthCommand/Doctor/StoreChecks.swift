import Foundation
import PosixFiles
import PushCore

/// The store's directory and its key, as files.
struct StoreChecks {
    let access: StoreAccess

    private var path: String { access.location.text }

    /// Whether there is a store.
    var isThere: Bool { FileManager.default.fileExists(atPath: path) }

    func look(_ report: (DoctorCheck) -> Void) {
        guard isThere else {
            report(
                .ok(
                    "store",
                    "There is none yet at \(path): `pushauth enroll` makes one."))
            return
        }
        report(directory())
        report(key())
        if let check = setAside() { report(check) }
    }

    private func directory() -> DoctorCheck {
        guard let found = FileStatus(path) else {
            return .problem("directory", "\(path) can't be looked at.", "Check who owns it.")
        }
        guard found.kind == .directory else {
            return .problem(
                "directory", "\(path) isn't a directory.", "Name another with --store.")
        }
        guard found.isOwn else {
            return .problem(
                "directory", "\(path) belongs to another user.",
                "Run pushauth as that user, or name another with --store.")
        }
        guard found.mode & 0o777 == 0o700 else {
            return .problem(
                "directory", "Others may use \(path), or its owner may not: mode \(found.octal).",
                "Run `chmod 700 \(path)`.")
        }
        return .ok("directory", "\(path), mode \(found.octal).")
    }

    func key() -> DoctorCheck {
        switch access.keyPlace {
        case .missing:
            return .problem(
                "key", "There is none for the store that machines share.",
                "`(umask 077; openssl rand -hex 32 > FILE)` makes one, --key-file FILE names it, on "
                    + "each machine the same.")
        case .variable(let name):
            return .warning(
                "key", "It is in the environment variable \(name).",
                "Other processes of this user may read it there; a file of mode 0600 is safer.")
        case .file(let path):
            guard let found = FileStatus(path) else {
                return .problem(
                    "key", "There is no key file \(path) that can be read.",
                    "Put it back from a backup: nobody reads the store without it.")
            }
            guard found.kind == .file else {
                return .problem(
                    "key", "\(path) is no file, so it holds no key.",
                    "Name the file that does with --key-file.")
            }
            guard found.mode & 0o077 == 0 else {
                return .problem(
                    "key", "Others may use the key file \(path): mode \(found.octal).",
                    "Run `chmod 600 \(path)`.")
            }
            return .ok("key", "\(path), mode \(found.octal). Keep a copy elsewhere.")
        }
    }

    /// What the store has found damaged before, and keeps aside.
    private func setAside() -> DoctorCheck? {
        let folder = URL(fileURLWithPath: path).appendingPathComponent("damaged")
        let files = FileManager.default.enumerator(
            at: folder, includingPropertiesForKeys: [.isRegularFileKey])?
            .compactMap { $0 as? URL }
            .filter {
                (try? $0.resourceValues(forKeys: [.isRegularFileKey]))?.isRegularFile == true
            }
        guard let count = files?.count, count > 0 else { return nil }
        return .warning(
            "damaged", "The store keeps \(count) damaged record\(count == 1 ? "" : "s") aside.",
            "`pushauth list` and `pushauth pending --offline` show what is left.")
    }
}
