#if os(iOS)
import BackgroundTasks
import PushCore
import PushPlatform
import SwiftUI

@main
struct SampleApp: App {
    static let refresh = "com.example.app.refresh"

    @UIApplicationDelegateAdaptor(AppDelegate.self) private var delegate

    var body: some Scene {
        WindowGroup {
            RootView(model: delegate.model)
        }
        // What was decided while there was no network goes out, though nobody opens the app.
        .backgroundTask(.appRefresh(Self.refresh)) { [flow = delegate.model.flow] in
            // First, as the system may end the task while a vendor keeps it waiting.
            await SampleApp.askForRefresh()
            await flow.catchUp()
        }
    }

    /// Has the system wake the app once more; it decides when.
    static func askForRefresh() {
        let request = BGAppRefreshTaskRequest(identifier: refresh)
        request.earliestBeginDate = Date(timeIntervalSinceNow: 900)
        try? BGTaskScheduler.shared.submit(request)
    }
}

/// The app's three rooms.
struct RootView: View {
    @ObservedObject var model: AppModel

    var body: some View {
        TabView(selection: $model.room) {
            ChallengeList(model: model).tabItem { Text("Requests") }.tag(AppModel.Room.requests)
            CodeList(model: model).tabItem { Text("Codes") }.tag(AppModel.Room.codes)
            Settings(model: model).tabItem { Text("Settings") }.tag(AppModel.Room.settings)
        }
        .sheet(item: $model.asked) { asked in
            ApprovalScreen(model: model, asked: asked)
        }
        // The host is where the answers go. The other names are what the invitation claims.
        .confirmationDialog(
            "Join \(model.offer?.host ?? "an account without a server")?",
            isPresented: $model.hasOffer, titleVisibility: .visible
        ) {
            if let offer = model.offer {
                Button("Join as \(offer.claims)") { model.join(offer) }
            }
            Button("Cancel", role: .cancel) {}
        }
        .alert(model.failure ?? "", isPresented: $model.hasFailed) {
            Button("OK") {}
        }
        .onOpenURL { url in model.scanned(url.absoluteString) }
        .task { await model.follow() }
    }
}
#endif
