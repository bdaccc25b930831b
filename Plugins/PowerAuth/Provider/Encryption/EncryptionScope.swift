import Crypto
import PushCore
import PushJOSE

/// What an envelope is bound to: an application, or one of its activations.
enum EncryptionScope: Sendable {
    /// Everyone who has the application's key and secret can seal.
    case application(PowerAuthApplication)
    /// Only the activation can seal. `activationID` keeps the case the server wrote it in, as the
    /// text enters codes; `transportKey` is the activation's `KEY_TRANSPORT`, 16 bytes.
    case activation(PowerAuthApplication, activationID: String, transportKey: Secret)

    /// The header of requests that are encrypted and not signed.
    static let headerName = "X-PowerAuth-Encryption"

    /// The application.
    var application: PowerAuthApplication {
        switch self {
        case .application(let application), .activation(let application, _, _): application
        }
    }

    /// The activation, if it is bound to one.
    var activationID: String? {
        switch self {
        case .application: nil
        case .activation(_, let id, _): id
        }
    }

    /// What every code of this scope covers, `SI2base`, 32 bytes: the application's secret as the
    /// Base64 text it is written in, digested, or authenticated by the transport key.
    var sharedInfo2: [UInt8] {
        application.secret.withBytes { text in
            switch self {
            case .application:
                Array(SHA256.digest(of: text))
            case .activation(_, _, let transportKey):
                Workspace.withCode(for: text, key: transportKey) { Array($0) }
            }
        }
    }

    /// What codes from version 3.2 on cover besides, each part preceded by its length in bytes.
    ///
    /// `keyID` is the temporary key, from version 3.3 on.
    func associatedData(_ version: PowerAuthVersion, keyID: String?) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(128)
        for text in [version.rawValue, application.key, activationID, keyID] {
            if let text { SizedParts.append(text.utf8, to: &output) }
        }
        return output
    }

    /// The value of the header ``headerName``.
    ///
    /// An activation's identifier is written as it is: the code that learned it has checked that it
    /// can stand in a header.
    func header(_ version: PowerAuthVersion) -> String {
        var text =
            "PowerAuth version=\"\(version.rawValue)\", application_key=\"\(application.key)\""
        if let activationID { text += ", activation_id=\"\(activationID)\"" }
        return text
    }
}
