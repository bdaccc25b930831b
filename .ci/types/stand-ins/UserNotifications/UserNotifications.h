// Stand-in, written for this check. None of these classes is Sendable here, and the delegate belongs to
// no actor: so they were in every SDK known to the author. README.md says what isn't certain.
#ifndef STANDIN_USERNOTIFICATIONS
#define STANDIN_USERNOTIFICATIONS
#include <Foundation.h>
#pragma clang assume_nonnull begin
@class UNNotification, UNNotificationRequest, UNNotificationResponse, UNUserNotificationCenter;

typedef OPTIONS(NSUInteger, UNAuthorizationOptions) {
    UNAuthorizationOptionBadge = 1 << 0, UNAuthorizationOptionSound = 1 << 1, UNAuthorizationOptionAlert = 1 << 2,
    UNAuthorizationOptionCriticalAlert SINCE(12.0, 10.14) = 1 << 4,
    UNAuthorizationOptionProvisional SINCE(12.0, 10.14) = 1 << 6,
} SINCE(10.0, 10.14);
typedef OPTIONS(NSUInteger, UNNotificationActionOptions) {
    UNNotificationActionOptionAuthenticationRequired = 1 << 0, UNNotificationActionOptionDestructive = 1 << 1,
    UNNotificationActionOptionForeground = 1 << 2,
} SINCE(10.0, 10.14);
typedef OPTIONS(NSUInteger, UNNotificationCategoryOptions) {
    UNNotificationCategoryOptionCustomDismissAction = 1 << 0,
    UNNotificationCategoryOptionHiddenPreviewsShowTitle SINCE(11.0, 10.14) = 1 << 2,
} SINCE(10.0, 10.14);
typedef OPTIONS(NSUInteger, UNNotificationPresentationOptions) {
    UNNotificationPresentationOptionBadge = 1 << 0, UNNotificationPresentationOptionSound = 1 << 1,
    UNNotificationPresentationOptionList SINCE(14.0, 11.0) = 1 << 3,
    UNNotificationPresentationOptionBanner SINCE(14.0, 11.0) = 1 << 4,
} SINCE(10.0, 10.14);
typedef ENUM(NSUInteger, UNNotificationInterruptionLevel) {
    UNNotificationInterruptionLevelPassive, UNNotificationInterruptionLevelActive,
    UNNotificationInterruptionLevelTimeSensitive, UNNotificationInterruptionLevelCritical,
} SINCE(15.0, 12.0);

SINCE(10.0, 10.14) @interface UNNotificationSound : NSObject <NSCopying>
@property (class, nonatomic, copy, readonly) UNNotificationSound *defaultSound;
@end
SINCE(10.0, 10.14) @interface UNNotificationTrigger : NSObject <NSCopying>
@end
SINCE(10.0, 10.14) @interface UNPushNotificationTrigger : UNNotificationTrigger
@end
SINCE(10.0, 10.14) @interface UNNotificationContent : NSObject <NSCopying>
@property (nonatomic, readonly, copy) NSString *title;
@property (nonatomic, readonly, copy) NSString *body;
@property (nonatomic, readonly, copy) NSString *threadIdentifier;
@property (nonatomic, readonly, copy) NSString *categoryIdentifier;
@property (nonatomic, readonly, copy) NSDictionary *userInfo;
@property (nonatomic, nullable, readonly, copy) UNNotificationSound *sound;
@property (nonatomic, readonly) UNNotificationInterruptionLevel interruptionLevel SINCE(15.0, 12.0);
- (instancetype)init;
@end
SINCE(10.0, 10.14) @interface UNMutableNotificationContent : UNNotificationContent
@property (nonatomic, readwrite, copy) NSString *title;
@property (nonatomic, readwrite, copy) NSString *body;
@property (nonatomic, readwrite, copy) NSString *threadIdentifier;
@property (nonatomic, readwrite, copy) NSString *categoryIdentifier;
@property (nonatomic, readwrite, copy) NSDictionary *userInfo;
@property (nonatomic, nullable, readwrite, copy) UNNotificationSound *sound;
@property (nonatomic, readwrite) UNNotificationInterruptionLevel interruptionLevel SINCE(15.0, 12.0);
@end
SINCE(10.0, 10.14) @interface UNNotificationRequest : NSObject <NSCopying>
@property (nonatomic, readonly, copy) NSString *identifier;
@property (nonatomic, readonly, copy) UNNotificationContent *content;
@property (nonatomic, nullable, readonly, copy) UNNotificationTrigger *trigger;
+ (instancetype)requestWithIdentifier:(NSString *)identifier content:(UNNotificationContent *)content
                              trigger:(nullable UNNotificationTrigger *)trigger;
- (instancetype)init __attribute__((unavailable));
@end
SINCE(10.0, 10.14) @interface UNNotification : NSObject <NSCopying>
@property (nonatomic, readonly, copy) NSDate *date;
@property (nonatomic, readonly, copy) UNNotificationRequest *request;
- (instancetype)init __attribute__((unavailable));
@end
SINCE(10.0, 10.14) @interface UNNotificationResponse : NSObject <NSCopying>
@property (nonatomic, readonly, copy) UNNotification *notification;
@property (nonatomic, readonly, copy) NSString *actionIdentifier;
- (instancetype)init __attribute__((unavailable));
@end
extern NSString *const UNNotificationDefaultActionIdentifier SINCE(10.0, 10.14);
extern NSString *const UNNotificationDismissActionIdentifier SINCE(10.0, 10.14);
SINCE(10.0, 10.14) @interface UNNotificationAction : NSObject <NSCopying>
+ (instancetype)actionWithIdentifier:(NSString *)identifier title:(NSString *)title
                             options:(UNNotificationActionOptions)options;
- (instancetype)init __attribute__((unavailable));
@end
SINCE(10.0, 10.14) @interface UNNotificationCategory : NSObject <NSCopying>
+ (instancetype)categoryWithIdentifier:(NSString *)identifier actions:(NSArray<UNNotificationAction *> *)actions
                     intentIdentifiers:(NSArray<NSString *> *)intentIdentifiers
                               options:(UNNotificationCategoryOptions)options;
- (instancetype)init __attribute__((unavailable));
@end

@protocol UNUserNotificationCenterDelegate <NSObject>
@optional
- (void)userNotificationCenter:(UNUserNotificationCenter *)center willPresentNotification:(UNNotification *)notification
         withCompletionHandler:(void (^)(UNNotificationPresentationOptions options))completionHandler SINCE(10.0, 10.14);
- (void)userNotificationCenter:(UNUserNotificationCenter *)center didReceiveNotificationResponse:(UNNotificationResponse *)response
         withCompletionHandler:(void (^)(void))completionHandler SINCE(10.0, 10.14);
- (void)userNotificationCenter:(UNUserNotificationCenter *)center openSettingsForNotification:(nullable UNNotification *)notification
    SINCE(12.0, 10.14);
@end
SINCE(10.0, 10.14) @interface UNUserNotificationCenter : NSObject
@property (nonatomic, nullable, weak) id <UNUserNotificationCenterDelegate> delegate;
+ (UNUserNotificationCenter *)currentNotificationCenter NAMED(current());
- (void)requestAuthorizationWithOptions:(UNAuthorizationOptions)options
                      completionHandler:(void (SENDABLE ^)(BOOL granted, NSError *_Nullable error))completionHandler;
- (void)setNotificationCategories:(NSSet<UNNotificationCategory *> *)categories;
- (void)addNotificationRequest:(UNNotificationRequest *)request
         withCompletionHandler:(nullable void (SENDABLE ^)(NSError *_Nullable error))completionHandler
    __attribute__((swift_name("add(_:withCompletionHandler:)")));
- (void)getPendingNotificationRequestsWithCompletionHandler:(void (SENDABLE ^)(NSArray<UNNotificationRequest *> *requests))completionHandler;
- (void)getDeliveredNotificationsWithCompletionHandler:(void (SENDABLE ^)(NSArray<UNNotification *> *notifications))completionHandler;
- (void)removePendingNotificationRequestsWithIdentifiers:(NSArray<NSString *> *)identifiers;
- (void)removeDeliveredNotificationsWithIdentifiers:(NSArray<NSString *> *)identifiers;
- (void)setBadgeCount:(NSInteger)newBadgeCount
    withCompletionHandler:(nullable void (SENDABLE ^)(NSError *_Nullable error))completionHandler SINCE(16.0, 13.0);
- (instancetype)init __attribute__((unavailable));
@end
SINCE(10.0, 10.14) @interface UNNotificationServiceExtension : NSObject
- (void)didReceiveNotificationRequest:(UNNotificationRequest *)request
                   withContentHandler:(void (^)(UNNotificationContent *contentToDeliver))contentHandler
    NAMED(didReceive(_:withContentHandler:));
- (void)serviceExtensionTimeWillExpire;
@end
#pragma clang assume_nonnull end
#endif
