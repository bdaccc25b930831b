import PushCore
import PushPlusAuth

extension World {
    /// A world that holds the notes' accounts: `rsa` is #1, `ec` is #2.
    static func ofTheNotes(
        _ names: [String] = ["rsa", "ec"], _ configuration: PlusAuth.Configuration = .init()
    ) async throws -> World {
        let world = try World(configuration, keys: names.map { try Vectors().key($0) })
        for name in names {
            let account = name == "rsa" ? "ada@example.com" : "ada@example.com (2)"
            try await world.enroll(.account(account))
        }
        return world
    }
}
