import PushCore
import PushJOSE
import PushXignIn

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The body of a call that ends a process, and which call that is.
struct AnswerBody {
    enum Call: String {
        case finish
        case reject
    }

    let call: Call
    let bytes: Data

    init(call: Call, body: JSON) {
        self.call = call
        bytes = body.data
    }

    init(reading sealed: Secret) throws(PushError) {
        let record = try Secret.Record(reading: sealed)
        guard let call = Call(rawValue: try Claims(record.fields).text("call")),
            let bytes = record.secrets.first
        else { throw PushError(.malformed, "A kept answer is damaged.") }
        self.call = call
        self.bytes = bytes.withBytes { Data($0) }
    }

    var sealed: Secret {
        Secret.Record(fields: ["call": .string(call.rawValue)], secrets: [Secret(bytes)]).sealed
    }
}

extension AnswerBody {
    /// What the manager said to this call.
    ///
    /// A wrong factor brings another challenge, and with it no assertion of the one before can be
    /// taken any more. A verdict without another one isn't in the format's form.
    func verdict(in result: Claims) throws(PushError) -> XignInReply<XignInVerdict> {
        switch (call, try result.text("type")) {
        case (.finish, "user_login"): return .success(.taken)
        case (.reject, "rejected"): return .success(.taken)
        case (.finish, "lockout"):
            let lockout = try Lockout(try result.object("lockout"))
            guard lockout.kind == .attempt else { return .failure(.locked(lockout.information)) }
            let challenge = try result.identifier("challenge")
            guard try challenge != answeredChallenge else { throw Claims.wrong("challenge") }
            let context = ProcessContext(challenge: challenge)
            return .success(.lockout(lockout.information, context: context.sealed))
        default: throw Claims.wrong("result")
        }
    }

    /// The challenge that this device's own assertion answers.
    private var answeredChallenge: String? {
        get throws(PushError) {
            let parts = try JSON(parsing: bytes)["assertion"]?.string?.parts(at: ".") ?? []
            guard parts.count == 3 else { return nil }
            return try JSON(parsing: Base64.data(from: parts[1], as: .url))["challenge"]?.string
        }
    }
}
