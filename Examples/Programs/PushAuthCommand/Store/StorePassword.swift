import Foundation
import PushCore

/// Where the password of a store on servers comes from: a file or a variable, never an argument, which
/// others on the machine could read.
enum StorePassword {
    static let advice =
        "Put it alone into a file of mode 0600, which `password-file` in [store] or "
        + "PUSHAUTH_STORE_PASSWORD_FILE names, or into PUSHAUTH_STORE_PASSWORD."

    /// - Throws: `Failure` if the file can't be used.
    static func read(
        _ settings: Configuration.Store, in environment: [String: String]
    ) throws(Failure) -> Secret? {
        func value(_ name: String) -> String? {
            environment[name].flatMap { $0.isEmpty ? nil : $0 }
        }
        let named = value("PUSHAUTH_STORE_PASSWORD_FILE")
        if named == nil, let text = value("PUSHAUTH_STORE_PASSWORD") { return Secret(text.utf8) }
        guard let path = named ?? settings.passwordFile else { return nil }
        guard var bytes = try PrivateFile(path: path, isOwn: false).read() else {
            throw Failure(
                .store, "There is no file \(path) with the store's password.", advice: advice)
        }
        while let last = bytes.last, last == 0x0A || last == 0x0D { bytes.removeLast() }
        return Secret(bytes)
    }
}
