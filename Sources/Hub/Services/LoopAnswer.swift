/// Who waits on a loop for what another thread finds. `@unchecked Sendable` because it only goes through that thread, and is called on the loop.
struct LoopAnswer<Value>: @unchecked Sendable {
    let give: (Value) -> Void
}
