// An ordinary file of an app: it links every product, and uses the names that Apple's own modules have.
import Foundation
import Observation
import PushCore
import PushEtcd
import PushForgeRock
import PushJOSE
import PushKeycloak
import PushOneSpan
import PushOneSpanReference
import PushPlatform
import PushPlusAuth
import PushPostgres
import PushPowerAuth
import PushPrivacyIDEA
import PushSealing
import PushTesting
import PushXignIn
import PushXignInReference
import Synchronization

#if canImport(SwiftUI)
import Combine
import CryptoKit
import SwiftUI
import UIKit
import UserNotifications
#endif

@available(iOS 17, macOS 14, *)
@Observable final class Model {
    var title = ""
    var environment: PushEnvironment?
}

func heard(_ notification: Notification) -> Notification.Name? { nil }

#if canImport(SwiftUI)
struct Screen: View {
    @Environment(\.dismiss) private var dismiss
    @Environment(\.scenePhase) private var phase
    @State private var challenge: Challenge?

    var body: some View {
        Form {
            Section {
                Text(verbatim: challenge?.id.name ?? "")
                Button("Close") { dismiss() }
            }
        }
    }
}

final class Counter: ObservableObject {
    @Published var count = 0
}
#endif
