// Stub for type checks on Linux: what the shell and its sample use of SwiftUI in iOS 15. Newer declarations are
// unavailable here.
@_exported import UIKit

@MainActor @preconcurrency public protocol View {
  associatedtype Body: View
  @ViewBuilder @MainActor @preconcurrency var body: Self.Body { get }
}
extension Never: View {
  public var body: Never { return fatalError() }
}

@resultBuilder public enum ViewBuilder {
  public static func buildBlock() -> EmptyView { fatalError() }
  public static func buildBlock<each Content: View>(_ content: repeat each Content) -> TupleView<(repeat each Content)> {
    fatalError()
  }
  public static func buildIf<Content: View>(_ content: Content?) -> Content? { fatalError() }
  public static func buildEither<First: View, Second: View>(first: First) -> ConditionalContent<First, Second> {
    fatalError()
  }
  public static func buildEither<First: View, Second: View>(second: Second) -> ConditionalContent<First, Second> {
    fatalError()
  }
}

public protocol Primitive: View where Body == Never {}
extension Primitive {
  public var body: Never { return fatalError() }
}
public struct EmptyView: Primitive {}
public struct TupleView<Content>: Primitive {}
public struct ConditionalContent<First: View, Second: View>: Primitive {}
extension Optional: View where Wrapped: View {
  public var body: Never { return fatalError() }
}
public struct ModifiedContent<Content: View>: Primitive {}

@MainActor @preconcurrency public protocol UIViewRepresentable: View where Body == Never {
  associatedtype UIViewType: UIView
  typealias Context = UIViewRepresentableContext<Self>
  @MainActor @preconcurrency func makeUIView(context: Self.Context) -> Self.UIViewType
  @MainActor @preconcurrency func updateUIView(_ uiView: Self.UIViewType, context: Self.Context)
}
extension UIViewRepresentable {
  public var body: Never { return fatalError() }
}
@MainActor @preconcurrency public struct UIViewRepresentableContext<Representable: UIViewRepresentable> {}

@MainActor @preconcurrency public protocol Scene {}
@MainActor @preconcurrency public protocol App {
  associatedtype Body: Scene
  var body: Self.Body { get }
  init()
}
extension App {
  public static func main() {}
}
public struct WindowGroup<Content: View>: Scene {
  public init(@ViewBuilder content: () -> Content) {}
}

@propertyWrapper public struct State<Value> {
  public init(wrappedValue: Value) {}
  public var wrappedValue: Value { get { fatalError() } nonmutating set {} }
  public var projectedValue: Binding<Value> { fatalError() }
}
@propertyWrapper public struct Binding<Value> {
  public init(get: @escaping () -> Value, set: @escaping (Value) -> Void) {}
  public init(wrappedValue: Value) {}
  public var wrappedValue: Value { get { fatalError() } nonmutating set {} }
  public var projectedValue: Binding<Value> { self }
}

public struct Text: Primitive {
  public init<S: StringProtocol>(_ content: S) {}
}
public struct VStack<Content: View>: Primitive {
  public init(@ViewBuilder content: () -> Content) {}
}
public struct ZStack<Content: View>: Primitive {
  public init(@ViewBuilder content: () -> Content) {}
}
public struct TextField: Primitive {
  public init<S: StringProtocol>(_ title: S, text: Binding<String>) {}
}
public struct Button: Primitive {
  public init<S: StringProtocol>(_ title: S, action: @escaping @MainActor () -> Void) {}
}
extension View {
  public func task(@_inheritActorContext _ action: @escaping @Sendable () async -> Void) -> ModifiedContent<Self> {
    fatalError()
  }
  public func disabled(_ disabled: Bool) -> ModifiedContent<Self> { fatalError() }
  public func ignoresSafeArea() -> ModifiedContent<Self> { fatalError() }
  public func padding() -> ModifiedContent<Self> { fatalError() }
  @available(*, unavailable, message: "since iOS 17")
  public func onChange<Value: Equatable>(of value: Value, _ action: @escaping (Value, Value) -> Void) -> ModifiedContent<
    Self
  > { fatalError() }
}
