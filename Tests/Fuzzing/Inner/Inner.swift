/// What a fuzz target can't reach from another package: `package` code, one function per parser.
///
/// The root manifest builds it, as `PushFuzzing`, only if `PUSH_AUTH_INNER` is set. Each function
/// takes untrusted bytes and returns the broken promise, or `nil` if all were kept.
public enum Inner {}
