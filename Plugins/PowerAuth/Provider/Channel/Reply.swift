import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What the server said: `{"status": …, "responseObject": …}`, or a bare envelope.
struct Reply: Sendable {
    /// A hundred operations with their texts are more than the reader takes by default.
    private static let limits = JSON.Limits(bytes: 4 * 1024 * 1024)

    /// The HTTP status.
    let status: Int

    /// The whole body; `null` where an error has none that can be read.
    let object: JSON

    /// Reads a reply.
    ///
    /// - Throws: `PushError` with the code `server` if the server, or who stands before it, can't
    ///   answer now; `interrupted` if what should be its word isn't.
    init(status: Int, body: Data) throws(PushError) {
        self.status = status
        do throws(PushError) {
            object = try JSON(parsing: body, limits: Self.limits)
        } catch {
            guard !(200..<300 ~= status) else {
                throw PushError(
                    .interrupted, "The server did what was asked, but its reply can't be read.",
                    underlying: error)
            }
            object = .null
        }
        if status == 429 || status >= 500 { throw self.error }
    }

    /// Whether the server says that it didn't do what it was asked. Where a bare envelope is the
    /// reply, anything else is a success.
    var isRefusal: Bool { !(200..<300 ~= status) || object["status"] == "ERROR" }

    /// Whether the server says, in its wrapping, that it did what it was asked.
    var isSuccess: Bool { !isRefusal && object["status"] == "OK" }

    /// What the server says, without its wrapping.
    var responseObject: JSON? {
        switch object["responseObject"] {
        case .null: nil
        case let value: value
        }
    }

    /// Why the server refused, if it says so in the documented way.
    var code: String? { isRefusal ? responseObject?["code"]?.string : nil }

    /// What the server says, if it did what it was asked; `null` if it says nothing.
    ///
    /// - Throws: `PushError`, ``error``.
    var value: JSON {
        get throws(PushError) {
            guard isSuccess else { throw error }
            return responseObject ?? .null
        }
    }
}
