import Crypto
import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Whom an envelope is for, and all that its keys and codes are bound to but the key itself.
struct ECIESScope {
    let version: ProtocolVersion
    let application: PowerAuthSimulator.Application
    /// The activation and its transport key; `nil` in the application's scope.
    let activation: (id: String, transport: Data)?

    /// The first part of what is authenticated beside the data.
    var base: Data {
        let secret = Data(application.secret.utf8)
        guard let activation else { return Data(SHA256.hash(data: secret)) }
        return KeySchedule.mac(activation.transport, secret)
    }

    func associatedData(temporaryKey: String?) -> Data {
        guard version >= .v32 else { return Data() }
        var parts = [version.rawValue, application.key]
        if let activation { parts.append(activation.id) }
        if version >= .v33, let temporaryKey { parts.append(temporaryKey) }
        return .sized(parts.map { Data($0.utf8) })
    }

    /// What replays are counted by.
    var replayName: String { activation?.id ?? application.key }
}
