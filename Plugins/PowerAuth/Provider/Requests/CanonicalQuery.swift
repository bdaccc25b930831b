import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The parameters of a GET as its signature covers them (vendor: powerauth-crypto,
/// `docs/Computing-and-Validating-Signatures.md`).
///
/// Servers of this generation decode a query twice: as a whole, and each name and value again. So a
/// `%` or a `+` in a value comes out as something else there, and an `&` cuts the value in two. What
/// they would read otherwise than it was meant can't be verified by any signature, and is refused
/// here.
struct CanonicalQuery {
    /// The parameters in the server's order, each encoded as in a form, joined with `&`.
    let text: String

    private struct Parameter: Equatable {
        let name: String
        let value: String

        static func == (one: Parameter, other: Parameter) -> Bool {
            one.name.utf8.elementsEqual(other.name.utf8)
                && one.value.utf8.elementsEqual(other.value.utf8)
        }

        /// Java's order of texts: by UTF-16, names first.
        static func precedes(_ one: Parameter, _ other: Parameter) -> Bool {
            one.name.utf8.elementsEqual(other.name.utf8)
                ? one.value.utf16.lexicographicallyPrecedes(other.value.utf16)
                : one.name.utf16.lexicographicallyPrecedes(other.name.utf16)
        }
    }

    /// Reads the query of a URL's path.
    ///
    /// - Parameter path: The path with its query, as it is sent.
    /// - Throws: `PushError` with the code `invalidArgument` if it can't be decoded, a parameter has
    ///   no `=`, or the server would read another one than is sent.
    init(ofPath path: String) throws(PushError) {
        guard let mark = path.utf8.firstIndex(of: UInt8(ascii: "?")) else {
            text = ""
            return
        }
        let query = path[path.utf8.index(after: mark)...]
        let meant = try Self.parameters(of: query)
        guard let decoded = FormText.decoded(query),
            let seen = try? Self.parameters(of: decoded[...]), seen == meant
        else {
            throw PushError(
                .invalidArgument,
                "The server decodes a query twice, and would read another one than is sent: a "
                    + "name or a value has %, & or + in it. Send these by POST.")
        }
        text = meant.sorted(by: Parameter.precedes)
            .map { "\(FormText.encoded($0.name))=\(FormText.encoded($0.value))" }.joined(
                separator: "&")
    }

    private static func parameters(of query: Substring) throws(PushError) -> [Parameter] {
        guard !query.isEmpty else { return [] }
        var parameters: [Parameter] = []
        for piece in query.utf8.split(
            separator: UInt8(ascii: "&"), omittingEmptySubsequences: false)
        {
            guard let mark = piece.firstIndex(of: UInt8(ascii: "=")) else {
                throw PushError(
                    .invalidArgument,
                    "A parameter without = isn't signed, as servers drop it: write name=.")
            }
            guard let name = FormText.decoded(Substring(piece[..<mark])),
                let value = FormText.decoded(Substring(piece[piece.index(after: mark)...]))
            else {
                throw PushError(.invalidArgument, "The query can't be decoded.")
            }
            parameters.append(Parameter(name: name, value: value))
        }
        return parameters
    }
}
