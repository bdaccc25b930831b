import Foundation

/// What stops the check, as opposed to what it finds.
struct Failure: Error {
    let text: String
}

/// Runs a program to its end, and collects what it says.
@discardableResult
func run(
    _ program: String, _ arguments: [String], withErrors: Bool = true
) throws -> (status: Int32, output: String) {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [program] + arguments
    let pipe = Pipe()
    process.standardOutput = pipe
    if withErrors { process.standardError = pipe }
    try process.run()
    let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: output, as: UTF8.self))
}

extension URL {
    var exists: Bool { FileManager.default.fileExists(atPath: path()) }

    /// What a folder holds, itself included or not, in a fixed order.
    func files(_ suffix: String = "", except excluded: [URL] = []) -> [URL] {
        let found = FileManager.default.enumerator(at: self, includingPropertiesForKeys: nil)
        return (found?.allObjects as? [URL] ?? [])
            .filter { file in
                file.lastPathComponent.hasSuffix(suffix) && !file.hasDirectoryPath
                    && !excluded.contains { file.path().hasPrefix($0.path()) }
            }
            .sorted { $0.path() < $1.path() }
    }
}
