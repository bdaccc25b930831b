import Foundation

/// Where things are kept by default (XDG Base Directory Specification 0.8).
struct Places {
    let environment: [String: String]

    init(_ environment: [String: String] = ProcessInfo.processInfo.environment) {
        self.environment = environment
    }

    var store: String { path("XDG_DATA_HOME", else: ".local/share", "store") }

    var keyFile: String { path("XDG_DATA_HOME", else: ".local/share", "store.key") }

    var configurationFile: String { path("XDG_CONFIG_HOME", else: ".config", "config.toml") }

    /// A credential that systemd hands over, if there is one of this name.
    func systemdCredential(_ name: String) -> String? {
        guard let directory = environment["CREDENTIALS_DIRECTORY"], directory.hasPrefix("/") else {
            return nil
        }
        let path = directory + "/" + name
        return FileManager.default.fileExists(atPath: path) ? path : nil
    }

    /// The specification says that a relative path is to be ignored.
    private func path(_ variable: String, else folder: String, _ name: String) -> String {
        if let base = environment[variable], base.hasPrefix("/") {
            return "\(base)/pushauth/\(name)"
        }
        let home = environment["HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        return "\(home ?? NSHomeDirectory())/\(folder)/pushauth/\(name)"
    }
}
