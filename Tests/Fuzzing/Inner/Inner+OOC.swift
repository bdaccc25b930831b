public import PushCore

@testable import PushOneSpan
@testable import PushOneSpanReference

extension Inner {
    /// Takes bytes for a command of OOC/1 and for its text, for the body of each type, for data to
    /// display, and for a typed activation password.
    public static func oocCommand(_ bytes: UnsafeRawBufferPointer) -> StaticString? {
        let input = Array(bytes)
        if let broken = envelope(input) ?? text(String(decoding: bytes, as: UTF8.self)) {
            return broken
        }
        for type in CommandType.allCases {
            for flags in type.flags {
                if let broken = body(bytes, type, flags) { return broken }
            }
        }
        for form in UInt8(0)...3 {
            if let broken = display(ReceivedDisplay(form, input)) { return broken }
        }
        if let password = try? ActivationPassword(Secret(input)), password.characters.count != 8 {
            return "an activation password has 8 characters"
        }
        return nil
    }

    /// The key that the server seals a device's commands with.
    ///
    /// - Throws: `PushError` with the code `malformed` if the credential can't be read.
    public static func oocServerKey(of account: Account) throws(PushError) -> Secret {
        try account.credential(as: DeviceRecord.self).keys.toDevice
    }

    private static func envelope(_ input: [UInt8]) -> StaticString? {
        guard let envelope = try? CommandEnvelope(parsing: input) else { return nil }
        guard envelope.bytes == input else { return "what is taken apart has every byte's place" }
        guard envelope.header.flags.contains(.unauthenticated),
            let body = try? envelope.openUnauthenticated()
        else { return nil }
        return (try? ReceivedError(body).serverError.isAuthenticated) == true
            ? "what nobody sealed isn't authenticated" : nil
    }

    private static func text(_ text: String) -> StaticString? {
        guard let command = try? OrchestrationCommand(text) else { return nil }
        let isSame =
            command.hex == text.uppercased()
            && OrchestrationCommand(bytes: command.bytes) == command
        return isSame ? nil : "a command's text says its bytes"
    }

    private static func body(
        _ bytes: UnsafeRawBufferPointer, _ type: CommandType, _ flags: CommandType.Flags
    ) -> StaticString? {
        let none = [UInt8](repeating: 0, count: 16)
        var head = CommandHeader(
            type, principal: none, flow: none, counter: 1, bodyLength: bytes.count
        ).bytes
        head[6] = flags.rawValue
        guard let header = CommandHeader(parsing: head) else { return "each type has its flags" }
        guard let body = try? CommandBody(parsing: bytes, of: header) else { return nil }
        if let validity = try? ReceivedValidity(body), validity.duration < .zero {
            return "what ends ends behind its beginning"
        }
        if type == .errorResponse, (try? ReceivedError(body)) == nil {
            return "an error that is whole can be read"
        }
        return (try? ReceivedDisplay(body)).flatMap { display($0) }
    }

    /// What is read whole is within its limits, and shown; what isn't can't be approved.
    private static func display(_ display: ReceivedDisplay) -> StaticString? {
        let shown = ShownContent(display.content)
        guard shown.fields.count <= 16 else { return "no more is shown than 16 fields" }
        var request = OneSpanRequest(
            deviceID: "", requestID: "", content: display.content, method: .none)
        request.problem = display.problem
        let isApprovable = request.judged(as: .authentication).problem == nil
        return isApprovable == (display.problem == nil && shown.isWhole)
            ? nil : "only what is shown whole can be approved"
    }
}
