#if os(iOS)
import BackgroundTasks
import PushCore
import PushPlatform
import SwiftUI

// snippet: app
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
            await flow.catchUp()
            await SampleApp.askForRefresh()
        }
    }

    /// Has the system wake the app once more; it decides when.
    static func askForRefresh() {
        let request = BGAppRefreshTaskRequest(identifier: refresh)
        request.earliestBeginDate = Date(timeIntervalSinceNow: 900)
        try? BGTaskScheduler.shared.submit(request)
    }
}
// end snippet

/// The app's three rooms.
struct RootView: View {
    @ObservedObject var model: AppModel

    var body: some View {
        TabView {
            ChallengeList(model: model).tabItem { Text("Requests") }
            CodeList(model: model).tabItem { Text("Codes") }
            Settings(model: model).tabItem { Text("Settings") }
        }
        .sheet(item: $model.asked) { asked in
            ApprovalScreen(model: model, asked: asked)
        }
        .alert("Something went wrong", isPresented: $model.hasFailed) { Button("OK") {} }
        .onOpenURL { url in model.scanned(url.absoluteString) }
        .task { await model.follow() }
    }
}
#endif
