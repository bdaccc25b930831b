import Foundation
import PushCore
import Testing

@testable import PushPowerAuth

struct EncryptionScopeTests {
    @Test func `the header names the version, the application and, in its scope, the activation`()
        throws
    {
        #expect(EncryptionScope.headerName == "X-PowerAuth-Encryption")
        #expect(
            try Wire.scope(inActivation: false).header(.v3_3)
                == #"PowerAuth version="3.3", application_key="lbNrg+B157tbojC487941A==""#)
        #expect(
            try Wire.scope(inActivation: true).header(.v3_1)
                == #"PowerAuth version="3.1", application_key="lbNrg+B157tbojC487941A==", "#
                + #"activation_id="6ae8cd16-67a7-4840-8d37-33d9aab6ea51""#)
    }

    @Test(arguments: [
        (PowerAuthVersion.v3_2, false), (.v3_2, true), (.v3_3, false), (.v3_3, true),
    ])
    func `texts are covered by their length in bytes, in their own case`(
        version: PowerAuthVersion, inActivation: Bool
    ) throws {
        let id = "Äctivation-1"
        let application = try Wire.application()
        let scope =
            inActivation
            ? EncryptionScope.activation(
                application, activationID: id,
                transportKey: Secret([UInt8](repeating: 1, count: 16)))
            : .application(application)
        let keyID = version == .v3_3 ? "kéy" : nil
        var expected = [0, 0, 0, 3] + Array(version.rawValue.utf8)
        expected += [0, 0, 0, 24] + Array("lbNrg+B157tbojC487941A==".utf8)
        if inActivation { expected += [0, 0, 0, 13] + Array(id.utf8) }
        if let keyID { expected += [0, 0, 0, 4] + Array(keyID.utf8) }
        #expect(scope.associatedData(version, keyID: keyID) == expected)
    }

    @Test(arguments: [
        (0.0, 0), (1_723_109_505.420, 1_723_109_505_420), (1_691_762_307.384, 1_691_762_307_384),
        (-5, 0), (1e300, 253_402_300_799_999), (-.infinity, 0), (.nan, 0),
        (.infinity, 253_402_300_799_999),
    ])
    func `any clock's time can be written in milliseconds`(seconds: Double, expected: Int64) {
        #expect(Date(timeIntervalSince1970: seconds).unixMilliseconds == expected)
    }

    @Test func `every millisecond is written as it was read`() {
        for offset in Int64(0)..<2000 {
            let time = 1_723_109_505_000 + offset
            #expect(Date(unixMilliseconds: time).unixMilliseconds == time)
        }
    }
}
