import PushCore
import PushPlatform

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What an app does with pushes, whatever plugins it links: it opens its store, whose directory and key
/// are its arguments, and takes one push a line.
///
/// - Parameter makeProviders: The plugins that the app links.
/// - Throws: `PushError` with the code `invalidArgument` if an argument is missing, or as the SDK throws.
public func receive(
    by makeProviders: (PushEnvironment) throws -> [any PushProvider]
) async throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 3 else {
        throw PushError(.invalidArgument, "Give the store's directory, and the file of its key.")
    }
    let environment = PushEnvironment(
        transport: SystemTransport(),
        store: try await FileStore(at: arguments[1], key: .file(arguments[2])),
        verifier: Nobody(), device: Device(name: "Example"))
    let authenticator = PushAuthenticator(
        try PluginRegistry(makeProviders(environment)), in: environment)
    while let line = readLine() {
        let receptions = try await authenticator.receive(PushMessage(json: Data(line.utf8)))
        print(receptions.filter(\.isNew).count)
    }
}

private struct Nobody: UserVerifier {
    func verify(_ request: VerificationRequest) async throws(PushError) -> [Evidence] {
        throw PushError(.cancelled, "There is no user.")
    }
}
