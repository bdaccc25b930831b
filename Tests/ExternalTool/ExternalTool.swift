package import Foundation

/// A program on this computer that knows nothing of our code.
package struct ExternalTool {
    package let name: String

    package init(name: String) { self.name = name }

    /// Runs it; `nil` if it isn't there or fails.
    package func run(_ arguments: [String], input: Data = Data()) -> Data? {
        let process = Process()
        let stdin = Pipe()
        let stdout = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [name] + arguments
        process.standardInput = stdin
        process.standardOutput = stdout
        process.standardError = FileHandle.nullDevice
        // One that ends without reading its input mustn't end the tests.
        signal(SIGPIPE, SIG_IGN)
        guard (try? process.run()) != nil else { return nil }
        try? stdin.fileHandleForWriting.write(contentsOf: input)
        try? stdin.fileHandleForWriting.close()
        let output = try? stdout.fileHandleForReading.readToEnd()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { return nil }
        return output ?? Data()
    }

    package static let python = ExternalTool(name: "python3")
    package static let openSSL = ExternalTool(name: "openssl")

    package static let hasPython = python.run(["-c", "import hmac"]) != nil
    package static let hasCryptography = python.run(["-c", "import cryptography"]) != nil
    package static let hasOpenSSL = openSSL.run(["version"]) != nil
}
