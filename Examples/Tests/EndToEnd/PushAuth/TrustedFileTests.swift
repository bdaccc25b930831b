import Foundation
import PushCore
import Testing

@testable import PushAuthCommand

/// Which files may say what `pushauth` does.
@Suite struct TrustedFileTests {
    /// Runs a test with a file that is fine.
    private func withFile(_ test: (_ directory: String, _ file: String) throws -> Void) throws {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        try mode(0o700, directory.url.path)
        let inner = directory.url.appendingPathComponent("inner").path
        try FileManager.default.createDirectory(
            atPath: inner, withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700])
        let file = inner + "/policy.toml"
        try Data("text".utf8).write(to: URL(fileURLWithPath: file))
        try mode(0o600, file)
        try test(directory.url.path, file)
    }

    private func mode(_ mode: Int, _ path: String) throws {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }

    private func read(_ path: String) throws(Failure) -> String {
        try TrustedFile(path: path, kind: "policy").read()
    }

    private func refusal(_ path: String) -> Failure? {
        do throws(Failure) {
            _ = try read(path)
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: [0o600, 0o644, 0o444, 0o755])
    func `a file that only its user may write is read`(mode: Int) throws {
        try withFile { _, file in
            try self.mode(mode, file)
            #expect(try read(file) == "text")
        }
    }

    @Test(arguments: [0o660, 0o620, 0o602, 0o666, 0o646])
    func `a file that others may write is refused, and what to do is said`(mode: Int) throws {
        try withFile { _, file in
            try self.mode(mode, file)
            let error = try #require(refusal(file))
            #expect(error.status == .store)
            #expect(error.text.hasPrefix("The policy \(file) can't be used: others may write"))
            #expect(error.advice?.contains("chmod go-w '\(file)'") == true)
            try self.mode(mode & ~0o022, file)
            #expect(try read(file) == "text")
        }
    }

    @Test(arguments: [0o770, 0o702, 0o777, 0o722])
    func `a directory in which others may replace it is refused, at any height`(mode: Int) throws {
        try withFile { directory, file in
            for place in [directory, directory + "/inner"] {
                try self.mode(mode, place)
                let error = try #require(refusal(file))
                #expect(error.advice?.contains("chmod go-w '\(place)'") == true, "\(error)")
                // With the sticky bit, only the owner of a name may take it away.
                try self.mode(mode | 0o1000, place)
                #expect(try read(file) == "text")
                try self.mode(0o700, place)
            }
        }
    }

    @Test func `a link counts as what it leads to, and as where it is`() throws {
        try withFile { directory, file in
            let link = directory + "/link"
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: file)
            #expect(try read(link) == "text")
            try mode(0o770, directory + "/inner")
            #expect(refusal(link)?.advice?.contains("/inner'") == true)
            try mode(0o700, directory + "/inner")
            try mode(0o770, directory)
            #expect(refusal(link)?.advice?.contains("'\(directory)'") == true)
            try mode(0o700, directory)

            let relative = directory + "/inner/again"
            try FileManager.default.createSymbolicLink(
                atPath: relative, withDestinationPath: "../inner/./policy.toml")
            #expect(try read(relative) == "text")
            let loop = directory + "/loop"
            try FileManager.default.createSymbolicLink(atPath: loop, withDestinationPath: "loop")
            #expect(refusal(loop) != nil)
        }
    }

    @Test func `what isn't a file, isn't there, or is no text is refused`() throws {
        try withFile { directory, file in
            for path in [directory, directory + "/none", file + "/none", "/dev/null", ""] {
                #expect(refusal(path)?.status == .store, "\(path)")
            }
            try Data([0xFF]).write(to: URL(fileURLWithPath: file))
            #expect(refusal(file) != nil)
            let pipe = directory + "/pipe"
            #expect(mkfifo(pipe, 0o600) == 0)
            #expect(refusal(pipe) != nil)
        }
    }

    /// Only root can give a file away.
    @Test(.enabled(if: geteuid() == 0))
    func `what belongs to another user is refused, on the way as well`() throws {
        try withFile { directory, file in
            #expect(chown(file, 12345, 12345) == 0)
            #expect(refusal(file)?.text.contains("another user (12345)") == true)
            #expect(chown(file, 0, 0) == 0)
            #expect(chown(directory + "/inner", 12345, 12345) == 0)
            #expect(refusal(file)?.text.contains("another user (12345)") == true)
            #expect(chown(directory + "/inner", 0, 0) == 0)
            let link = directory + "/link"
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: file)
            #expect(lchown(link, 12345, 12345) == 0)
            #expect(refusal(link)?.text.contains("the link") == true)
        }
    }
}

/// That each place reads its file that way.
@Suite(.timeLimit(.minutes(3))) struct `files that others may write` {
    private func mode(_ mode: Int, _ path: String) throws {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }

    @Test func `neither a configuration, nor a certificate to trust, nor a policy is used`()
        async throws
    {
        try await PushAuthSite.run { site in
            let certificate = try site.file("lab.pem", "-----BEGIN CERTIFICATE-----\n")
            let policy = try site.file("policy.toml", "rule = []\n")
            let uses = [
                (site.configurationFile.path, ["list"]),
                (site.configurationFile.path, ["inspect", "--no-store"]),
                (certificate, ["list", "--authorities", certificate]),
                (policy, ["listen", "--stdin", "--policy", policy]),
            ]
            for (file, command) in uses {
                let before = try await site.pushauth(command)
                #expect(before.exitCode != 5, "\(before.errors)")
                try mode(0o664, file)
                let after = try await site.pushauth(command)
                #expect(after.exitCode == 5)
                #expect(after.errors.contains("chmod go-w '\(file)'"), "\(after.errors)")
                try mode(0o644, file)
            }
            try mode(0o664, site.configurationFile.path)
            let doctor = try await site.pushauth("doctor", "--offline", "--json")
            #expect(doctor.exitCode == 1)
            let check = try doctor.lines.first { $0["check"] == "configuration" }
            #expect(check?["status"] == "problem")
            #expect(check?["next"]?.string?.contains("chmod go-w") == true)
        }
    }
}
