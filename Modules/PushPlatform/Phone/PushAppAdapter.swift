#if canImport(UIKit) && canImport(UserNotifications) && !os(watchOS) && !os(tvOS)
// UIKit hands over types of all of Foundation.
public import Foundation
public import PushCore
public import UIKit
public import UserNotifications

/// UIKit's half of ``PushFlow``: the callbacks of an app's delegate and of the notification center.
///
/// The app makes one where it starts and keeps it. This file is type-checked for Apple's systems, and
/// runs there alone. It decides nothing: each callback has a method of the flow that is tested everywhere.
@MainActor
@available(iOSApplicationExtension, unavailable)
public final class PushAppAdapter: NSObject {
    /// What the callbacks call.
    public let flow: PushFlow

    private let wording: any NotificationWording
    private let show: @MainActor (PushFlow.TapResult) -> Void
    private weak var others: (any UNUserNotificationCenterDelegate)?
    private var observers: [any NSObjectProtocol] = []

    /// Creates an adapter.
    ///
    /// - Parameters:
    ///   - flow: What the callbacks call.
    ///   - wording: The words of the buttons; those of the flow's policy.
    ///   - others: What handles the app's own notifications. It's held weakly. Without it they are shown
    ///     as they came.
    ///   - show: Shows what a tap led to. It isn't called for the app's own notifications.
    public init(
        _ flow: PushFlow, wording: any NotificationWording = EnglishWording(),
        others: (any UNUserNotificationCenterDelegate)? = nil,
        show: @escaping @MainActor (PushFlow.TapResult) -> Void
    ) {
        self.flow = flow
        self.wording = wording
        self.others = others
        self.show = show
    }

    /// Begins. Call it in `application(_:didFinishLaunchingWithOptions:)`, before that returns.
    ///
    /// It takes the notification center's delegate and categories, asks for a device token, and follows
    /// the app's way to the foreground and back. Apps with scenes and apps without post the same
    /// notifications of it.
    ///
    /// - Parameters:
    ///   - application: The app.
    ///   - categories: The categories of the app's own notifications.
    public func start(_ application: UIApplication, categories: Set<UNNotificationCategory> = []) {
        let center = UNUserNotificationCenter.current()
        center.delegate = self
        center.setNotificationCategories(
            categories.union(UserNotificationBoard.categories(wording: wording)))
        let flow = flow
        observe(UIApplication.willEnterForegroundNotification) { await flow.enterForeground() }
        observe(UIApplication.didEnterBackgroundNotification) { await flow.enterBackground() }
        // The keychain opens with the first unlock after a start.
        observe(UIApplication.protectedDataDidBecomeAvailableNotification) { await flow.catchUp() }
        Task { await flow.start() }
        // Apple's push service gives a token without the user's permission, and may give another at
        // any start.
        application.registerForRemoteNotifications()
    }

    private func observe(_ name: Notification.Name, _ body: @escaping @Sendable () async -> Void) {
        observers.append(
            NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { _ in
                Task { await body() }
            })
    }

    /// For `application(_:didRegisterForRemoteNotificationsWithDeviceToken:)`.
    public func register(_ deviceToken: Data) {
        let token = DeviceToken.apns(deviceToken, isSandbox: APNsEnvironment.current == .sandbox)
        Task { [flow] in try? await flow.register(token) }
    }

    /// For `application(_:didReceiveRemoteNotification:)`.
    ///
    /// - Returns: What the callback returns; `nil` if the push is the app's own.
    public func receive(_ userInfo: [AnyHashable: Any]) async -> UIBackgroundFetchResult? {
        switch await flow.receive(userInfo) {
        case .notOurs: nil
        case .new: .newData
        case .kept: .failed
        case .nothingNew, .refused: .noData
        }
    }

    /// Runs something to its end, though the app leaves the screen meanwhile: the system gives it some
    /// seconds more. Answer challenges within it.
    ///
    /// - Throws: What the body throws.
    public static func withBackgroundTime<Value: Sendable, Failure: Error>(
        _ body: @MainActor () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let time = BackgroundTime()
        defer { time.end() }
        return try await body()
    }
}

@available(iOSApplicationExtension, unavailable)
extension PushAppAdapter: UNUserNotificationCenterDelegate {
    /// Shows what this installation posted, and reads a push instead of showing it.
    public nonisolated func userNotificationCenter(
        _ center: UNUserNotificationCenter, willPresent notification: UNNotification,
        withCompletionHandler completionHandler:
            @escaping (UNNotificationPresentationOptions) -> Void
    ) {
        // The system takes the handler's call from any thread, and it is called once.
        nonisolated(unsafe) let (done, theirs) = (completionHandler, (center, notification))
        let posted = PostedNotification(notification)
        let isPassive = notification.request.content.interruptionLevel == .passive
        Task { @MainActor in
            switch await self.flow.willPresent(posted) {
            case .hide: done([])
            case .read(let reading):
                done([])
                await Self.withBackgroundTime { await reading.value }
            case .show:
                // What the user has been told of is put into the list alone.
                done(isPassive ? [.list] : [.banner, .list, .sound])
            case .notOurs:
                guard
                    self.others?.userNotificationCenter?(
                        theirs.0, willPresent: theirs.1, withCompletionHandler: done) == nil
                else { return }
                done([.banner, .list, .sound])
            }
        }
    }

    /// Follows a tap, and tells the system that it's done once the answer has been sent.
    public nonisolated func userNotificationCenter(
        _ center: UNUserNotificationCenter, didReceive response: UNNotificationResponse,
        withCompletionHandler completionHandler: @escaping () -> Void
    ) {
        nonisolated(unsafe) let (done, theirs) = (completionHandler, (center, response))
        let posted = PostedNotification(response.notification)
        let action = LocalNotification.Action(response)
        Task { @MainActor in
            let result = await Self.withBackgroundTime {
                guard let action else { return PushFlow.TapResult.notOurs }
                return await self.flow.follow(action, on: posted)
            }
            if case .notOurs = result {
                guard
                    self.others?.userNotificationCenter?(
                        theirs.0, didReceive: theirs.1, withCompletionHandler: done) == nil
                else { return }
            } else {
                self.show(result)
            }
            done()
        }
    }
}

/// Time for an answer that is on its way while the app goes to the background.
@MainActor
@available(iOSApplicationExtension, unavailable)
private final class BackgroundTime {
    private var task = UIBackgroundTaskIdentifier.invalid

    init() {
        task = UIApplication.shared.beginBackgroundTask(withName: "push-auth") { self.end() }
    }

    /// The answer is on its way or over, or the time is. Its decision is on record in any case.
    func end() {
        guard task != .invalid else { return }
        UIApplication.shared.endBackgroundTask(task)
        task = .invalid
    }
}
#endif
