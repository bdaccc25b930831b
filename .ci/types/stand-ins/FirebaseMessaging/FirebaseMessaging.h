// Stand-in, written for this check: the two calls of Firebase's SDK that an app with a vendor of Firebase
// makes. It isn't Apple's.
#ifndef STANDIN_FIREBASEMESSAGING
#define STANDIN_FIREBASEMESSAGING
#include <Foundation.h>
#pragma clang assume_nonnull begin
@class FIRMessaging;
NAMED(MessagingDelegate) @protocol FIRMessagingDelegate <NSObject>
@optional
- (void)messaging:(FIRMessaging *)messaging didReceiveRegistrationToken:(nullable NSString *)fcmToken
    NAMED(messaging(_:didReceiveRegistrationToken:));
@end
NAMED(Messaging) @interface FIRMessaging : NSObject
+ (instancetype)messaging NAMED(messaging());
@property (nonatomic, weak, nullable) id <FIRMessagingDelegate> delegate;
@property (nonatomic, copy, nullable) NSData *APNSToken NAMED(apnsToken);
@end
#pragma clang assume_nonnull end
#endif
