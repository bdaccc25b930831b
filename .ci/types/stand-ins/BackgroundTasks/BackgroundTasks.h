// Stand-in, written for this check: asking for a refresh in the background.
#ifndef STANDIN_BACKGROUNDTASKS
#define STANDIN_BACKGROUNDTASKS
#include <Foundation.h>
#pragma clang assume_nonnull begin
SINCE(13.0, 10.15) @interface BGTaskRequest : NSObject <NSCopying>
@property (nonatomic, copy, nullable) NSDate *earliestBeginDate;
@end
SINCE(13.0, 10.15) @interface BGAppRefreshTaskRequest : BGTaskRequest
- (instancetype)initWithIdentifier:(NSString *)identifier;
@end
SINCE(13.0, 10.15) @interface BGTaskScheduler : NSObject
@property (class, readonly, strong) BGTaskScheduler *sharedScheduler NAMED(shared);
- (BOOL)submitTaskRequest:(BGTaskRequest *)taskRequest error:(NSError *_Nullable *_Nullable)error NAMED(submit(_:));
@end
#pragma clang assume_nonnull end
#endif
