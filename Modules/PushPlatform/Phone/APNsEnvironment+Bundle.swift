#if canImport(Darwin)
// Bundle belongs to all of Foundation.
import Foundation

extension APNsEnvironment {
    /// That of the running app.
    public static var current: APNsEnvironment {
        #if targetEnvironment(simulator)
        .sandbox
        #else
        // iOS's place, and macOS's.
        let profile = ["embedded.mobileprovision", "Contents/embedded.provisionprofile"].lazy
            .compactMap { try? Data(contentsOf: Bundle.main.bundleURL.appending(path: $0)) }.first
        return APNsEnvironment(embeddedProfile: profile)
        #endif
    }
}
#endif
