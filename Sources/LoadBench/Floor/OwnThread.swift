import ClientSupport
import Glibc

/// Runs what blocks on a new thread, and gives back what it returns or throws.
func onOwnThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        let work = Unmanaged.passRetained(Work { continuation.resume(with: Result(catching: body)) })
        var thread = pthread_t()
        let code = pthread_create(&thread, nil, runWork, work.toOpaque())
        guard code == 0 else {
            work.release()
            return continuation.resume(throwing: RunError("no thread can be made: \(String(cString: strerror(code)))"))
        }
        pthread_detach(thread)
    }
}

private final class Work: Sendable {
    let run: @Sendable () -> Void

    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}

private func runWork(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    Unmanaged<Work>.fromOpaque(context!).takeRetainedValue().run()
    return nil
}
