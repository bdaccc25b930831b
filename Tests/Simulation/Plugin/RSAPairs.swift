import CryptoExtras
import PushCore
import PushPrivacyIDEASimulator

#if DEBUG
@testable import PushPrivacyIDEA
#else
import PushPrivacyIDEA
#endif

/// Key pairs made once for all schedules: making one takes longer than a whole schedule, and on another
/// thread. None of what a schedule traces depends on them.
enum RSAPairs {
    static let server = (0..<4).compactMap { _ in
        try? PrivacyIDEASimulator.ServerKey(bits: 2048)
    }

    #if DEBUG
    private static let device = (0..<4).compactMap { _ in
        (try? _RSA.Signing.PrivateKey(keySize: .bits2048))
            .flatMap { try? DeviceKey(stored: Secret($0.derRepresentation)) }
    }
    #endif

    /// The keys that the devices of one schedule get, in order, and from the first again.
    struct Devices {
        private let next = Locked(0)

        func provider(in environment: PushEnvironment) -> PrivacyIDEA {
            #if DEBUG
            let keys = DeviceKeySource { [next] (_) async throws(PushError) in
                let number = next.withLock { number in
                    defer { number += 1 }
                    return number
                }
                guard !device.isEmpty else { throw PushError(.notFound, "No key was made.") }
                return device[number % device.count]
            }
            return PrivacyIDEA(keys: keys, in: environment)
            #else
            return PrivacyIDEA(in: environment)
            #endif
        }
    }
}
