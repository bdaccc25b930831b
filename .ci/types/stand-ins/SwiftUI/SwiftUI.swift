// swift-format-ignore-file
// Stand-in, written for this check: the views, modifiers and scenes that the example app is made of.
// Builders and modifiers are simpler than Apple's; isolation and availability are as Apple has them.
@_exported import Combine
@_exported import UIKit

func stub() -> Never { fatalError() }

// MARK: Views

@MainActor @preconcurrency public protocol View {
    associatedtype Body: View
    @ViewBuilder @MainActor @preconcurrency var body: Body { get }
}
extension Never: View { public typealias Body = Never; public var body: Never { return stub() } }
@MainActor @preconcurrency public struct Plain<Content>: View { public typealias Body = Never; public var body: Never { return stub() }; nonisolated init() {} }
@resultBuilder public struct ViewBuilder {
    public static func buildBlock() -> EmptyView { EmptyView() }
    public static func buildBlock<Content: View>(_ content: Content) -> Content { content }
    public static func buildBlock<each Content: View>(_ content: repeat each Content) -> TupleView<(repeat each Content)> { TupleView() }
    public static func buildExpression<Content: View>(_ content: Content) -> Content { content }
    public static func buildIf<Content: View>(_ content: Content?) -> Content? { content }
    public static func buildEither<A: View, B: View>(first: A) -> _ConditionalContent<A, B> { _ConditionalContent() }
    public static func buildEither<A: View, B: View>(second: B) -> _ConditionalContent<A, B> { _ConditionalContent() }
}
extension Optional: View where Wrapped: View { public typealias Body = Never; public var body: Never { return stub() } }
public protocol _Primitive: View where Body == Never {}
extension _Primitive { public var body: Never { return stub() } }
@frozen public struct EmptyView: _Primitive { public typealias Body = Never; nonisolated public init() {} }
@frozen public struct TupleView<T>: _Primitive { public typealias Body = Never; nonisolated init() {} }
@frozen public struct _ConditionalContent<A, B>: _Primitive { public typealias Body = Never; nonisolated init() {} }

public struct LocalizedStringKey: ExpressibleByStringInterpolation, Equatable { public init(stringLiteral value: String) {} }
public struct ButtonRole: Equatable, Sendable { public static let destructive = ButtonRole(), cancel = ButtonRole() }
public struct Font: Hashable, Sendable { public static let title = Font(), largeTitle = Font(), footnote = Font(), headline = Font() }

public struct Form<Content: View>: _Primitive { public typealias Body = Never; nonisolated public init(@ViewBuilder content: () -> Content) {} }
public struct List<Selection, Content: View>: _Primitive { public typealias Body = Never }
extension List where Selection == Never { nonisolated public init(@ViewBuilder content: () -> Content) {} }
public struct VStack<Content: View>: _Primitive { public typealias Body = Never; nonisolated public init(@ViewBuilder content: () -> Content) {} }
@available(iOS 16, macOS 13, *)
public struct NavigationStack<Data, Root: View>: _Primitive { public typealias Body = Never }
@available(iOS 16, macOS 13, *)
extension NavigationStack where Data == Never { nonisolated public init(@ViewBuilder root: () -> Root) {} }
public struct TabView<Selection: Hashable, Content: View>: _Primitive { public typealias Body = Never }
extension TabView { nonisolated public init(selection: Binding<Selection>?, @ViewBuilder content: () -> Content) {} }
extension TabView where Selection == Int { nonisolated public init(@ViewBuilder content: () -> Content) {} }
public struct Section<Parent, Content, Footer>: _Primitive { public typealias Body = Never }
extension Section where Parent == EmptyView, Content: View, Footer == EmptyView { nonisolated public init(@ViewBuilder content: () -> Content) {} }
extension Section where Parent == Text, Content: View, Footer == EmptyView { nonisolated public init(_ title: LocalizedStringKey, @ViewBuilder content: () -> Content) {} }
public struct ForEach<Items: RandomAccessCollection, ID: Hashable, Content: View>: _Primitive {
    public typealias Body = Never
    nonisolated public init(_ data: Items, id: KeyPath<Items.Element, ID>, @ViewBuilder content: @escaping (Items.Element) -> Content) {}
}
extension ForEach where Items.Element: Identifiable, ID == Items.Element.ID {
    nonisolated public init(_ data: Items, @ViewBuilder content: @escaping (Items.Element) -> Content) {}
}
@available(iOS 16, macOS 13, *)
public struct LabeledContent<Label, Content>: _Primitive { public typealias Body = Never }
@available(iOS 16, macOS 13, *)
extension LabeledContent where Label == Text, Content == Text {
    nonisolated public init<S1: StringProtocol, S2: StringProtocol>(_ title: S1, value: S2) {}
    nonisolated public init<S: StringProtocol>(_ title: LocalizedStringKey, value: S) {}
}
public struct Text: _Primitive, Equatable, Sendable {
    public typealias Body = Never
    nonisolated public init(_ key: LocalizedStringKey) {}
    @_disfavoredOverload nonisolated public init<S: StringProtocol>(_ content: S) {}
    nonisolated public init(verbatim content: String) {}
}
public struct Button<Label: View>: _Primitive {
    public typealias Body = Never
    nonisolated public init(action: @escaping @MainActor () -> Void, @ViewBuilder label: () -> Label) {}
}
extension Button where Label == Text {
    nonisolated public init(_ key: LocalizedStringKey, action: @escaping @MainActor () -> Void) {}
    @_disfavoredOverload nonisolated public init<S: StringProtocol>(_ title: S, action: @escaping @MainActor () -> Void) {}
    @available(iOS 15, macOS 12, *)
    nonisolated public init(_ key: LocalizedStringKey, role: ButtonRole?, action: @escaping @MainActor () -> Void) {}
}
public struct TextField<Label: View>: _Primitive { public typealias Body = Never }
extension TextField where Label == Text {
    nonisolated public init(_ key: LocalizedStringKey, text: Binding<String>) {}
    @_disfavoredOverload nonisolated public init<S: StringProtocol>(_ title: S, text: Binding<String>) {}
}
public struct SecureField<Label: View>: _Primitive { public typealias Body = Never }
extension SecureField where Label == Text { nonisolated public init(_ key: LocalizedStringKey, text: Binding<String>) {} }
public enum UIKeyboardType: Int, Sendable { case `default`, numberPad, asciiCapableNumberPad }
public struct ProgressView: _Primitive { public typealias Body = Never; nonisolated public init() {} }
public enum Visibility: Hashable, Sendable { case automatic, visible, hidden }

extension View {
    nonisolated public func disabled(_ disabled: Bool) -> some View { Plain<Self>() }
    nonisolated public func keyboardType(_ type: UIKeyboardType) -> some View { Plain<Self>() }
    nonisolated public func tag<V: Hashable>(_ tag: V) -> some View { Plain<Self>() }
    @available(iOS 15, macOS 12, *)
    nonisolated public func interactiveDismissDisabled(_ isDisabled: Bool = true) -> some View { Plain<Self>() }
    nonisolated public func font(_ font: Font?) -> some View { Plain<Self>() }
    nonisolated public func navigationTitle(_ key: LocalizedStringKey) -> some View { Plain<Self>() }
    nonisolated public func tabItem<V: View>(@ViewBuilder _ label: () -> V) -> some View { Plain<Self>() }
    nonisolated public func environmentObject<T: ObservableObject>(_ object: T) -> some View { Plain<Self>() }
    nonisolated public func sheet<Item: Identifiable, Content: View>(item: Binding<Item?>, onDismiss: (() -> Void)? = nil, @ViewBuilder content: @escaping (Item) -> Content) -> some View { Plain<Self>() }
    nonisolated public func sheet<Content: View>(isPresented: Binding<Bool>, onDismiss: (() -> Void)? = nil, @ViewBuilder content: @escaping () -> Content) -> some View { Plain<Self>() }
    @available(iOS 15, macOS 12, *)
    nonisolated public func alert<A: View>(_ title: LocalizedStringKey, isPresented: Binding<Bool>, @ViewBuilder actions: () -> A) -> some View { Plain<Self>() }
    @available(iOS 15, macOS 12, *)
    @_disfavoredOverload nonisolated public func alert<S: StringProtocol, A: View>(_ title: S, isPresented: Binding<Bool>, @ViewBuilder actions: () -> A) -> some View { Plain<Self>() }
    @available(iOS 15, macOS 12, *)
    nonisolated public func confirmationDialog<A: View>(_ title: LocalizedStringKey, isPresented: Binding<Bool>, titleVisibility: Visibility = .automatic, @ViewBuilder actions: () -> A) -> some View { Plain<Self>() }
    @available(iOS 15, macOS 12, *)
    nonisolated public func task(priority: TaskPriority = .userInitiated, @_inheritActorContext _ action: sending @escaping @isolated(any) () async -> Void) -> some View { Plain<Self>() }
    @available(iOS 15, macOS 12, *)
    nonisolated public func task<T: Equatable>(id: T, priority: TaskPriority = .userInitiated, @_inheritActorContext _ action: sending @escaping @isolated(any) () async -> Void) -> some View { Plain<Self>() }
    nonisolated public func onChange<V: Equatable>(of value: V, perform action: @escaping (V) -> Void) -> some View { Plain<Self>() }
    nonisolated public func onOpenURL(perform action: @escaping (URL) -> Void) -> some View { Plain<Self>() }
    @available(iOS 15, macOS 12, *)
    nonisolated public func refreshable(action: @escaping @Sendable () async -> Void) -> some View { Plain<Self>() }
}

// MARK: State

public protocol DynamicProperty {}
@propertyWrapper public struct State<Value>: DynamicProperty {
    public init(wrappedValue: Value) { stub() }
    public var wrappedValue: Value { get { stub() } nonmutating set {} }
    public var projectedValue: Binding<Value> { stub() }
}
extension State where Value: ExpressibleByNilLiteral { public init() { stub() } }
extension State: Sendable where Value: Sendable {}
@propertyWrapper @dynamicMemberLookup public struct Binding<Value>: DynamicProperty {
    public init(get: @escaping () -> Value, set: @escaping (Value) -> Void) {}
    public var wrappedValue: Value { get { stub() } nonmutating set {} }
    public var projectedValue: Binding<Value> { stub() }
    public subscript<T>(dynamicMember path: WritableKeyPath<Value, T>) -> Binding<T> { stub() }
}
@MainActor @preconcurrency @propertyWrapper public struct ObservedObject<Object: ObservableObject>: DynamicProperty {
    @MainActor @preconcurrency @dynamicMemberLookup public struct Wrapper {
        public subscript<T>(dynamicMember path: ReferenceWritableKeyPath<Object, T>) -> Binding<T> { stub() }
    }
    nonisolated public init(wrappedValue: Object) { stub() }
    public var wrappedValue: Object { get { stub() } set {} }
    public var projectedValue: Wrapper { stub() }
}
@MainActor @preconcurrency @propertyWrapper public struct EnvironmentObject<Object: ObservableObject>: DynamicProperty {
    nonisolated public init() { stub() }
    public var wrappedValue: Object { stub() }
    public var projectedValue: ObservedObject<Object>.Wrapper { stub() }
}
@propertyWrapper public struct Environment<Value>: DynamicProperty {
    public init(_ path: KeyPath<EnvironmentValues, Value>) { stub() }
    public var wrappedValue: Value { stub() }
}
public struct EnvironmentValues: Sendable {
    @available(iOS 15, macOS 12, *) @MainActor @preconcurrency public var dismiss: DismissAction { stub() }
    public var scenePhase: ScenePhase { stub() }
}
@available(iOS 15, macOS 12, *)
@MainActor @preconcurrency public struct DismissAction { public func callAsFunction() {} }
public enum ScenePhase: Comparable, Sendable { case background, inactive, active }

// MARK: The app

@MainActor @preconcurrency public protocol App {
    associatedtype Body: Scene
    @SceneBuilder @MainActor @preconcurrency var body: Body { get }
    @MainActor @preconcurrency init()
}
extension App { @MainActor @preconcurrency public static func main() {} }
@MainActor @preconcurrency public protocol Scene {
    associatedtype Body: Scene
    @SceneBuilder @MainActor @preconcurrency var body: Body { get }
}
extension Never: Scene {}
public struct PlainScene: Scene { public typealias Body = Never; nonisolated init() {}; public var body: Never { return stub() } }
@resultBuilder public struct SceneBuilder { public static func buildBlock<Content: Scene>(_ content: Content) -> Content { content } }
public struct WindowGroup<Content: View>: Scene {
    public typealias Body = Never
    nonisolated public init(@ViewBuilder content: @escaping () -> Content) {}
    public var body: Never { return stub() }
}
@available(iOS 16, macOS 13, *)
public struct BackgroundTask<Request, Response>: Sendable {}
@available(iOS 16, macOS 13, *)
extension BackgroundTask where Request == Void, Response == Void {
    public static func appRefresh(_ identifier: String) -> BackgroundTask<Void, Void> { stub() }
}
@available(iOS 16, macOS 13, *)
extension Scene {
    nonisolated public func backgroundTask<D, R>(_ task: BackgroundTask<D, R>, action: @escaping @Sendable (D) async -> R) -> some Scene { PlainScene() }
}
@MainActor @preconcurrency @propertyWrapper public struct UIApplicationDelegateAdaptor<Delegate: NSObject & UIApplicationDelegate>: DynamicProperty {
    public init(_ type: Delegate.Type = Delegate.self) {}
    public var wrappedValue: Delegate { stub() }
}
@MainActor @preconcurrency public protocol UIViewControllerRepresentable: View where Body == Never {
    associatedtype UIViewControllerType: UIViewController
    associatedtype Coordinator = Void
    typealias Context = UIViewControllerRepresentableContext<Self>
    @MainActor @preconcurrency func makeUIViewController(context: Context) -> UIViewControllerType
    @MainActor @preconcurrency func updateUIViewController(_ controller: UIViewControllerType, context: Context)
    @MainActor @preconcurrency func makeCoordinator() -> Coordinator
}
extension UIViewControllerRepresentable { public var body: Never { return stub() } }
extension UIViewControllerRepresentable where Coordinator == Void { public func makeCoordinator() {} }
@MainActor @preconcurrency public struct UIViewControllerRepresentableContext<R: UIViewControllerRepresentable> {
    public var coordinator: R.Coordinator { stub() }
}
