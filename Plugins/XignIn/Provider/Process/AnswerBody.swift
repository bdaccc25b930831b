import PushCore
import PushJOSE

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
        let record = try SecretRecord(reading: sealed)
        guard let call = Call(rawValue: try Claims(record.fields).text("call")),
            let bytes = record.secrets.first
        else { throw PushError(.malformed, "A kept answer is damaged.") }
        self.call = call
        self.bytes = bytes.withBytes { Data($0) }
    }

    var sealed: Secret {
        SecretRecord(fields: ["call": .string(call.rawValue)], secrets: [Secret(bytes)]).sealed
    }
}

extension AnswerBody.Call {
    /// What the manager said, if it is a word on this call.
    func verdict(in result: Claims) throws(PushError) -> XignInReply<XignInVerdict> {
        switch (self, try result.text("type")) {
        case (.finish, "user_login"): return .done(.userLogin)
        case (.reject, "rejected"): return .done(.rejected)
        case (.finish, "lockout"):
            let lockout = try LockoutInformation(try result.object("lockout"))
            guard lockout.kind == .attempt else { return .refused(.locked(lockout)) }
            let context = ProcessContext(challenge: try result.identifier("challenge"))
            return .done(.lockout(lockout, context: context.sealed))
        default: throw Claims.wrong("result")
        }
    }
}
