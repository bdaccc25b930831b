/// What a fuzz target can't reach from another package: `package` code, and the internal parsers of
/// plugins, which `.ci/fuzz` builds for testing. One function per parser.
///
/// The root manifest builds it, as `PushFuzzing`, only if `PUSH_AUTH_INNER` is set. A function that
/// takes untrusted bytes returns the broken promise, or `nil` if all were kept.
public enum Inner {}
