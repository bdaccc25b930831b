// Stand-in, written for this check: the classes of Foundation that the SDK meets, as Objective-C
// declares them. What Foundation has in Swift (Data, Date, URL ...) is in Foundation.swift.
#ifndef STANDIN_FOUNDATION
#define STANDIN_FOUNDATION
#include <CoreFoundation.h>
// What the importer turns a class into where it can.
#define AS(TYPE) __attribute__((swift_bridge(#TYPE)))

#pragma clang assume_nonnull begin

@class NSString, NSData, NSDate, NSURL, NSError, NSArray<ObjectType>;

@protocol NSCopying
- (id)copy;
@end
@protocol NSSecureCoding
@end

AS(Swift.String) SENDABLE @interface NSString : NSObject <NSCopying, NSSecureCoding>
@property (readonly) NSUInteger length;
@end
@interface NSMutableString : NSString
@end
SENDABLE @interface NSNumber : NSObject <NSCopying, NSSecureCoding>
- (NSNumber *)initWithBool:(BOOL)value NAMED(init(value:));
- (NSNumber *)initWithInteger:(NSInteger)value NAMED(init(value:));
- (NSNumber *)initWithDouble:(double)value NAMED(init(value:));
- (NSNumber *)initWithLongLong:(long long)value NAMED(init(value:));
@property (readonly) BOOL boolValue;
@property (readonly) double doubleValue;
@property (readonly) NSInteger integerValue;
@property (readonly) long long longLongValue NAMED(int64Value);
@property (readonly, copy) NSString *stringValue;
@end
SENDABLE @interface NSNull : NSObject <NSCopying, NSSecureCoding>
+ (NSNull *)null;
@end
AS(Foundation.Data) @interface NSData : NSObject <NSCopying, NSSecureCoding>
@property (readonly) NSUInteger length;
@end
AS(Foundation.Date) SENDABLE @interface NSDate : NSObject <NSCopying, NSSecureCoding>
@end
AS(Foundation.URL) SENDABLE @interface NSURL : NSObject <NSCopying, NSSecureCoding>
@end
AS(Foundation.UUID) SENDABLE @interface NSUUID : NSObject <NSCopying, NSSecureCoding>
@end
AS(Swift.Array) @interface NSArray<__covariant ObjectType> : NSObject <NSCopying, NSSecureCoding>
@property (readonly) NSUInteger count;
@end
AS(Swift.Set) @interface NSSet<__covariant ObjectType> : NSObject <NSCopying, NSSecureCoding>
@property (readonly) NSUInteger count;
@end
AS(Swift.Dictionary) @interface NSDictionary<KeyType, __covariant ObjectType> : NSObject <NSCopying, NSSecureCoding>
@property (readonly) NSUInteger count;
- (nullable ObjectType)objectForKey:(KeyType)key;
@end
AS(Swift.Error) SENDABLE @interface NSError : NSObject <NSCopying, NSSecureCoding>
@property (readonly) NSInteger code;
@property (readonly, copy) NSString *domain;
@property (readonly, copy) NSDictionary<NSString *, id> *userInfo;
@property (readonly, copy) NSString *localizedDescription;
@end

@protocol NSLocking
- (void)lock;
- (void)unlock;
@end
SENDABLE @interface NSLock : NSObject <NSLocking>
- (BOOL)tryLock NAMED(try());
@end
NAMED(Thread) @interface NSThread : NSObject
+ (void)detachNewThreadWithBlock:(void (SENDABLE ^)(void))block SINCE(10.0, 10.12);
@end

// MARK: The app

typedef NSString *NSNotificationName TYPED_ENUM NAMED(NSNotification.Name);
NAMED(Notification) @interface NSNotification : NSObject <NSCopying>
@end
@class NSOperationQueue;
SENDABLE NAMED(NotificationCenter) @interface NSNotificationCenter : NSObject
@property (class, readonly, strong) NSNotificationCenter *defaultCenter NAMED(default);
- (id <NSObject>)addObserverForName:(nullable NSNotificationName)name object:(nullable id)object
                              queue:(nullable NSOperationQueue *)queue
                         usingBlock:(void (SENDABLE ^)(NSNotification *notification))block
    NAMED(addObserver(forName:object:queue:using:)) SINCE(4.0, 10.6);
- (void)removeObserver:(id)observer;
@end
SENDABLE NAMED(Bundle) @interface NSBundle : NSObject
@property (class, readonly, strong) NSBundle *mainBundle NAMED(main);
@property (readonly, copy) NSURL *bundleURL SINCE(4.0, 10.6);
@property (readonly, copy) NSString *bundlePath;
@property (nullable, readonly, copy) NSString *bundleIdentifier;
@end
SENDABLE NAMED(FileManager) @interface NSFileManager : NSObject
@property (class, readonly, strong) NSFileManager *defaultManager NAMED(default);
- (BOOL)fileExistsAtPath:(NSString *)path;
@end

// MARK: URL loading

@class NSURLRequest, NSHTTPCookie, NSURLSession;

typedef ENUM(NSUInteger, NSURLRequestCachePolicy) {
    NSURLRequestUseProtocolCachePolicy = 0,
    NSURLRequestReloadIgnoringLocalCacheData = 1,
} NAMED(NSURLRequest.CachePolicy);
typedef ENUM(NSUInteger, NSHTTPCookieAcceptPolicy) {
    NSHTTPCookieAcceptPolicyAlways, NSHTTPCookieAcceptPolicyNever,
    NSHTTPCookieAcceptPolicyOnlyFromMainDocumentDomain,
} NAMED(HTTPCookie.AcceptPolicy);
typedef ENUM(uint16_t, tls_protocol_version_t) {
    tls_protocol_version_TLSv12 NAMED(TLSv12) = 0x0303, tls_protocol_version_TLSv13 NAMED(TLSv13) = 0x0304,
};
NAMED(HTTPCookie) @interface NSHTTPCookie : NSObject
@end
NAMED(HTTPCookieStorage) @interface NSHTTPCookieStorage : NSObject
@end
NAMED(URLCache) @interface NSURLCache : NSObject
@end
NAMED(URLCredentialStorage) @interface NSURLCredentialStorage : NSObject
@end
AS(Foundation.URLRequest) SENDABLE @interface NSURLRequest : NSObject <NSCopying, NSSecureCoding>
@end
SENDABLE NAMED(URLResponse) @interface NSURLResponse : NSObject <NSCopying, NSSecureCoding>
@property (readonly) long long expectedContentLength;
@end
SENDABLE NAMED(HTTPURLResponse) @interface NSHTTPURLResponse : NSURLResponse
@property (readonly) NSInteger statusCode;
@property (readonly, copy) NSDictionary *allHeaderFields;
@end
SENDABLE NAMED(URLCredential) @interface NSURLCredential : NSObject <NSCopying, NSSecureCoding>
@end
typedef struct BRIDGED(id) __SecTrust *SecTrustRef;
SENDABLE NAMED(URLProtectionSpace) @interface NSURLProtectionSpace : NSObject <NSCopying, NSSecureCoding>
- (BOOL)isProxy;
@property (nullable, readonly) SecTrustRef serverTrust;
@end
NAMED(URLAuthenticationChallenge) @interface NSURLAuthenticationChallenge : NSObject
@property (readonly, copy) NSURLProtectionSpace *protectionSpace;
@end
NAMED(OperationQueue) @interface NSOperationQueue : NSObject
@end

SENDABLE NAMED(URLSessionConfiguration) @interface NSURLSessionConfiguration : NSObject <NSCopying>
@property (class, readonly, strong) NSURLSessionConfiguration *ephemeralSessionConfiguration NAMED(ephemeral);
@property (nullable, retain) NSHTTPCookieStorage *HTTPCookieStorage;
@property NSHTTPCookieAcceptPolicy HTTPCookieAcceptPolicy;
@property BOOL HTTPShouldSetCookies;
@property (nullable, retain) NSURLCache *URLCache;
@property (nullable, retain) NSURLCredentialStorage *URLCredentialStorage;
@property NSURLRequestCachePolicy requestCachePolicy;
@property double timeoutIntervalForRequest;
@property double timeoutIntervalForResource;
@property tls_protocol_version_t TLSMinimumSupportedProtocolVersion SINCE(13.0, 10.15);
@end
SENDABLE NAMED(URLSessionTask) @interface NSURLSessionTask : NSObject <NSCopying>
@property (readonly) NSUInteger taskIdentifier;
- (void)cancel;
- (void)resume;
@end
SENDABLE NAMED(URLSessionDataTask) @interface NSURLSessionDataTask : NSURLSessionTask
@end
@protocol NSURLSessionDelegate;
SENDABLE NAMED(URLSession) @interface NSURLSession : NSObject
+ (NSURLSession *)sessionWithConfiguration:(NSURLSessionConfiguration *)configuration
                                  delegate:(nullable id <NSURLSessionDelegate>)delegate
                             delegateQueue:(nullable NSOperationQueue *)queue;
- (NSURLSessionDataTask *)dataTaskWithRequest:(NSURLRequest *)request;
- (void)invalidateAndCancel;
@end
typedef ENUM(NSInteger, NSURLSessionAuthChallengeDisposition) {
    NSURLSessionAuthChallengeUseCredential = 0, NSURLSessionAuthChallengePerformDefaultHandling = 1,
    NSURLSessionAuthChallengeCancelAuthenticationChallenge = 2,
    NSURLSessionAuthChallengeRejectProtectionSpace = 3,
} NAMED(URLSession.AuthChallengeDisposition);
typedef ENUM(NSInteger, NSURLSessionResponseDisposition) {
    NSURLSessionResponseCancel = 0, NSURLSessionResponseAllow = 1,
} NAMED(URLSession.ResponseDisposition);

NAMED(URLSessionDelegate) SENDABLE @protocol NSURLSessionDelegate <NSObject>
@end
NAMED(URLSessionTaskDelegate) SENDABLE @protocol NSURLSessionTaskDelegate <NSURLSessionDelegate>
@optional
- (void)URLSession:(NSURLSession *)session task:(NSURLSessionTask *)task
    willPerformHTTPRedirection:(NSHTTPURLResponse *)response newRequest:(NSURLRequest *)request
             completionHandler:(void (SENDABLE ^)(NSURLRequest *_Nullable))completionHandler;
- (void)URLSession:(NSURLSession *)session task:(NSURLSessionTask *)task
    didReceiveChallenge:(NSURLAuthenticationChallenge *)challenge
      completionHandler:(void (SENDABLE ^)(NSURLSessionAuthChallengeDisposition disposition,
                                           NSURLCredential *_Nullable credential))completionHandler;
- (void)URLSession:(NSURLSession *)session task:(NSURLSessionTask *)task
    didCompleteWithError:(nullable NSError *)error;
@end
NAMED(URLSessionDataDelegate) SENDABLE @protocol NSURLSessionDataDelegate <NSURLSessionTaskDelegate>
@optional
- (void)URLSession:(NSURLSession *)session dataTask:(NSURLSessionDataTask *)dataTask
    didReceiveResponse:(NSURLResponse *)response
     completionHandler:(void (SENDABLE ^)(NSURLSessionResponseDisposition disposition))completionHandler;
- (void)URLSession:(NSURLSession *)session dataTask:(NSURLSessionDataTask *)dataTask
    didReceiveData:(NSData *)data;
@end
#pragma clang assume_nonnull end
#endif
