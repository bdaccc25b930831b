// Stand-in, written for this check: UIKit's main-actor classes that an app's delegate meets.
#ifndef STANDIN_UIKIT
#define STANDIN_UIKIT
#include <Foundation.h>
#include <UserNotifications.h>
#pragma clang assume_nonnull begin
@class UIApplication, UIScene, UISceneSession, UISceneConnectionOptions, UIWindow, UISceneConfiguration;
typedef NSString *UIApplicationLaunchOptionsKey TYPED_ENUM NAMED(UIApplication.LaunchOptionsKey);
typedef ENUM(NSUInteger, UIBackgroundFetchResult) {
    UIBackgroundFetchResultNewData, UIBackgroundFetchResultNoData, UIBackgroundFetchResultFailed,
} SINCE(7.0, 10.15);
typedef NSUInteger UIBackgroundTaskIdentifier TYPED_ENUM;
extern const UIBackgroundTaskIdentifier UIBackgroundTaskInvalid;
extern const NSNotificationName UIApplicationWillEnterForegroundNotification
    NAMED(UIApplication.willEnterForegroundNotification) SINCE(4.0, 10.15);
extern const NSNotificationName UIApplicationDidEnterBackgroundNotification
    NAMED(UIApplication.didEnterBackgroundNotification) SINCE(4.0, 10.15);
extern const NSNotificationName UIApplicationProtectedDataDidBecomeAvailable
    NAMED(UIApplication.protectedDataDidBecomeAvailableNotification) SINCE(4.0, 10.15);
ON_MAIN @interface UIResponder : NSObject
@end
ON_MAIN @interface UIViewController : UIResponder
- (instancetype)init;
@end
ON_MAIN @interface UILabel : UIResponder
@property (nullable, nonatomic, copy) NSString *text;
- (instancetype)init;
@end
ON_MAIN @protocol UIApplicationDelegate <NSObject>
@optional
- (BOOL)application:(UIApplication *)application didFinishLaunchingWithOptions:(nullable NSDictionary<UIApplicationLaunchOptionsKey, id> *)launchOptions;
- (void)applicationWillEnterForeground:(UIApplication *)application;
- (void)applicationDidBecomeActive:(UIApplication *)application;
- (void)applicationDidEnterBackground:(UIApplication *)application;
- (void)application:(UIApplication *)application didRegisterForRemoteNotificationsWithDeviceToken:(NSData *)deviceToken;
- (void)application:(UIApplication *)application didFailToRegisterForRemoteNotificationsWithError:(NSError *)error;
- (void)application:(UIApplication *)application didReceiveRemoteNotification:(NSDictionary *)userInfo
    fetchCompletionHandler:(void (^)(UIBackgroundFetchResult result))completionHandler;
- (UISceneConfiguration *)application:(UIApplication *)application
    configurationForConnectingSceneSession:(UISceneSession *)connectingSceneSession
                                   options:(UISceneConnectionOptions *)options SINCE(13.0, 10.15);
@end
ON_MAIN @interface UIApplication : UIResponder
@property (class, nonatomic, readonly) UIApplication *sharedApplication NAMED(shared) __attribute__((availability(ios_app_extension, unavailable)));
@property (nonatomic, assign, nullable) id <UIApplicationDelegate> delegate;
- (void)registerForRemoteNotifications SINCE(8.0, 10.15);
- (UIBackgroundTaskIdentifier)beginBackgroundTaskWithName:(nullable NSString *)taskName
    expirationHandler:(void (^ON_MAIN SENDABLE _Nullable)(void))handler;
- (void)endBackgroundTask:(UIBackgroundTaskIdentifier)identifier;
@end
ON_MAIN SINCE(13.0, 10.15) @interface UIScene : UIResponder
@end
ON_MAIN SINCE(13.0, 10.15) @interface UIWindowScene : UIScene
@end
ON_MAIN SINCE(13.0, 10.15) @interface UISceneSession : NSObject
@end
ON_MAIN SINCE(13.0, 10.15) @interface UISceneConfiguration : NSObject
@end
ON_MAIN SINCE(13.0, 10.15) @interface UISceneConnectionOptions : NSObject
@property (nullable, nonatomic, readonly) UNNotificationResponse *notificationResponse;
@end
ON_MAIN SINCE(13.0, 10.15) @protocol UISceneDelegate <NSObject>
@optional
- (void)scene:(UIScene *)scene willConnectToSession:(UISceneSession *)session options:(UISceneConnectionOptions *)connectionOptions;
- (void)sceneWillEnterForeground:(UIScene *)scene;
- (void)sceneDidBecomeActive:(UIScene *)scene;
- (void)sceneDidEnterBackground:(UIScene *)scene;
@end
ON_MAIN SINCE(13.0, 10.15) @protocol UIWindowSceneDelegate <UISceneDelegate>
@end
#pragma clang assume_nonnull end
#endif
