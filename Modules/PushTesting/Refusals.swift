package import PushCore

/// The error that something throws; another error, or none, is thrown on.
package func refusal<Value>(
    _ body: () async throws -> Value, fileID: String = #fileID, line: Int = #line
) async throws -> PushError {
    do {
        _ = try await body()
    } catch let error as PushError {
        return error
    }
    throw NothingThrown(fileID: fileID, line: line)
}

/// A test expected an error, and there was none.
package struct NothingThrown: Error, CustomStringConvertible {
    private let place: String

    /// Creates the error of a place.
    package init(fileID: String = #fileID, line: Int = #line) {
        place = "\(fileID):\(line)"
    }

    /// What was expected, and where.
    package var description: String { "An error was expected at \(place), and there was none." }
}
