import Foundation
import Testing

/// That whatever command meets it, the cause is said, and what to do.
@Suite(.timeLimit(.minutes(3))) struct `a file that pushauth can't use` {
    /// The commands that read a file, whose name goes last, and how each ends without it.
    private static let readers: [(arguments: [String], code: Int32)] = [
        (["enroll", "--from"], 1), (["inspect"], 1), (["inspect", "-", "--key"], 5),
        (["import"], 1),
        (
            ["sign", "0123456789ab", "--resource", "/login", "--factors", "possession", "--body"],
            1
        ),
    ]

    @Test func `is named, with the cause and what to do`() async throws {
        try await PushAuthSite.run { site in
            let folder = site.directory.path
            let file = try site.file("file", "")
            let faults: [(path: String, words: String)] = [
                (
                    folder + "/none",
                    "it or its folder isn't there.\nLook whether it was moved or removed.\n"
                ), (file + "/none", "what should be its folder is none.\nLook at its path.\n"),
                (folder, "it is a folder.\nName a file.\n"),
            ]
            for (arguments, code) in Self.readers {
                for (path, words) in faults {
                    let result = try await site.pushauth(arguments + [path])
                    #expect(result.errors == "pushauth: The file \(path) can't be read: \(words)")
                    #expect(result.exitCode == code, "\(arguments)")
                }
            }
        }
    }

    @Test func `is named in other words where it is more than a file to read`() async throws {
        try await PushAuthSite.run { site in
            let folder = site.directory.path
            let none = folder + "/none/file"
            let key = try site.file("key.pem", "key")
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o600], ofItemAtPath: key)
            let uses: [(arguments: [String], cause: String)] = [
                (["list", "--capture", none], "can't be made: it or its folder isn't there."),
                (["listen", "--stdin", "--policy", none], "/none."),
                (
                    [
                        "listen", "--http", "127.0.0.1:0", "--credentials", folder + "/push",
                        "--tls-cert", none, "--tls-key", key,
                    ], "can't be read: it or its folder isn't there."
                ),
            ]
            for (arguments, cause) in uses {
                let result = try await site.pushauth(arguments)
                #expect(result.exitCode == 1 || result.exitCode == 5, "\(arguments)")
                let ending = "\(cause)\nLook whether it was moved or removed.\n"
                #expect(result.errors.hasSuffix(ending), "\(result.errors)")
            }
        }
    }
}
