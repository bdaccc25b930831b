import Foundation
import PushPlatform
import Testing

/// Which of Apple's push services a token is of, by the profile in the app.
struct APNsEnvironmentTests {
    /// A profile as Xcode embeds it: a property list within the bytes of a signed message.
    private func profile(_ entitlements: String) -> Data {
        var bytes = Data([0x30, 0x82, 0x30, 0x00, 0x06, 0x09, 0x2A, 0x86, 0x48, 0x86])
        bytes += Data(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <plist version="1.0"><dict>
            <key>Name</key><string>A profile</string>
            <key>Entitlements</key><dict>
            <key>application-identifier</key><string>TEAMID.com.example.app</string>
            <key>keychain-access-groups</key><array><string>TEAMID.*</string></array>
            <key>get-task-allow</key><true/>
            \(entitlements)
            </dict><key>TimeToLive</key><integer>365</integer></dict></plist>
            """.utf8)
        return bytes + Data([0x00, 0xA0, 0x82, 0xFF, 0x30])
    }

    @Test func `a development profile's token is the sandbox's`() {
        let named = profile("<key>aps-environment</key><string>development</string>")
        #expect(APNsEnvironment(embeddedProfile: named) == .sandbox)
        let macs = profile(
            "<key>com.apple.developer.aps-environment</key><string>development</string>")
        #expect(APNsEnvironment(embeddedProfile: macs) == .sandbox)
    }

    @Test func `every other app's token is production's`() {
        let others: [Data?] = [
            nil, Data(), Data([0xFF, 0x00]), profile(""),
            profile("<key>aps-environment</key><string>production</string>"),
            profile("<key>aps-environment</key><array/>"),
            Data("<?xml version=\"1.0\"?><plist><dict>".utf8),
        ]
        for profile in others { #expect(APNsEnvironment(embeddedProfile: profile) == .production) }
    }
}
