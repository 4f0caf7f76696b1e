internal import CLibuv

// The memory of a uv handle belongs to libuv from init until its close callback, which is the only place that frees it.

func allocateHandle<Handle>(_ type: Handle.Type) -> UnsafeMutablePointer<Handle> {
    let memory = UnsafeMutableRawPointer.allocate(byteCount: MemoryLayout<Handle>.size, alignment: 16)
    memory.initializeMemory(as: UInt8.self, repeating: 0, count: MemoryLayout<Handle>.size)
    return memory.assumingMemoryBound(to: Handle.self)
}

/// Closes a handle of any kind; no callback of it comes any more. On the loop's thread.
func closeAndFree<Handle>(_ handle: UnsafeMutablePointer<Handle>) {
    uv_close(UnsafeMutableRawPointer(handle).assumingMemoryBound(to: uv_handle_t.self), freeHandle)
}

private func freeHandle(_ handle: UnsafeMutablePointer<uv_handle_t>?) {
    UnsafeMutableRawPointer(handle!).deallocate()
}

extension EventLoop {
    /// Closes a handle from a `deinit`, which may happen on any thread: off the loop it is left for the loop to do.
    func closeFromAnywhere<Handle>(_ handle: UnsafeMutablePointer<Handle>) {
        if isOnLoop {
            closeAndFree(handle)
        } else {
            let address = UInt(bitPattern: handle)
            submit { closeAndFree(UnsafeMutablePointer<uv_handle_t>(bitPattern: address)!) }
        }
    }
}
