import PushCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// An operation that waits for the user's answer, or that has had it, under the documented names.
///
/// It is what `Challenge.details(as:)` gives for an operation that was fetched. The server sent it
/// over TLS to this activation, but it speaks for whoever asked it to: show its texts as plain
/// text, and interpret nothing in them.
public struct PowerAuthOperation: Hashable, Sendable, Identifiable {
    /// The identifier, opaque; the case of its letters counts.
    public let id: String

    /// The kind of operation, such as `authorize_payment`.
    public let name: String

    /// What is approved: the text that a signature binds, in the form of
    /// ``PowerAuthOperationData``. It goes back unchanged.
    public let data: String

    /// The state.
    public let status: Status

    /// The server's own word on why it is in this state, at most 32 characters; not for users.
    public let statusReason: String?

    /// When it was made, by the server's clock.
    public let operationCreated: Date

    /// The moment after which the server takes no answer, by the server's clock.
    public let operationExpires: Date

    /// What an approval is signed with.
    public let allowedSignatureType: AllowedSignatureType

    /// What is shown.
    public let formData: FormData

    /// How it is shown, and what stands before and after the approval.
    public let ui: UI

    /// Reads an operation.
    ///
    /// - Throws: `PushError` with the code `malformed` if something required is missing, or if the
    ///   type of signature is none that this version knows.
    init(_ json: JSON) throws(PushError) {
        let members = try Members(json)
        id = try members.text("id")
        name = try members.text("name")
        data = try members.text("data")
        status = Status(try members.optionalText("status") ?? Status.pending.text)
        statusReason = members.shown("statusReason")
        operationCreated = try Self.date(try members.text("operationCreated"))
        operationExpires = try Self.date(try members.text("operationExpires"))
        allowedSignatureType = try AllowedSignatureType(members["allowedSignatureType"])
        formData = try FormData(members["formData"])
        ui = try UI(members["ui"])
    }

    private static func date(_ text: String) throws(PushError) -> Date {
        guard let date = ServerDate.date(text) else {
            throw PushError(.malformed, "A date of an operation can't be read.")
        }
        return date
    }
}
