// Where message heads are written before they leave: one growing block of memory that keeps its size. Copying into it is a
// `memcpy`; an array would check for uniqueness and capacity at each of the twenty pieces of a head.

/// Bytes to be sent, written front to back.
@safe final class ByteSink {
    private var base: UnsafeMutableRawPointer
    private var capacity: Int
    private(set) var count = 0

    init(capacity: Int) {
        unsafe base = .allocate(byteCount: capacity, alignment: 16)
        self.capacity = capacity
    }

    deinit { unsafe base.deallocate() }

    var isEmpty: Bool { count == 0 }

    /// What was written. Valid until the next write.
    var bytes: UnsafeRawBufferPointer { unsafe UnsafeRawBufferPointer(start: base, count: count) }

    /// Forgets what was written and keeps the memory.
    func removeAll() { count = 0 }

    @inline(__always)
    func append(_ source: UnsafeRawBufferPointer) {
        if count + source.count > capacity { grow(to: count + source.count) }
        guard let start = source.baseAddress else { return }
        unsafe (base + count).copyMemory(from: start, byteCount: source.count)
        count += source.count
    }

    func append(_ bytes: [UInt8]) { unsafe bytes.withUnsafeBytes { unsafe append($0) } }

    /// Labelled, because a plain literal would be taken for a `String`.
    func append(literal text: StaticString) {
        unsafe append(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    func append(_ text: String) {
        // Native strings show their bytes where they are.
        if unsafe text.utf8.withContiguousStorageIfAvailable({ unsafe append(UnsafeRawBufferPointer($0)) }) == nil {
            append(Array(text.utf8))
        }
    }

    func append(decimal number: Int) {
        unsafe withUnsafeTemporaryAllocation(byteCount: 20, alignment: 1) { digits in
            var position = 20
            var rest = number.magnitude
            repeat {
                position -= 1
                unsafe digits[position] = UInt8(truncatingIfNeeded: rest % 10) + 0x30
                rest /= 10
            } while rest > 0
            unsafe append(UnsafeRawBufferPointer(rebasing: digits[position...]))
        }
    }

    func append(hexadecimal number: Int) { append(String(number, radix: 16)) }

    private func grow(to needed: Int) {
        let larger = max(needed, capacity * 2)
        let moved = UnsafeMutableRawPointer.allocate(byteCount: larger, alignment: 16)
        unsafe moved.copyMemory(from: base, byteCount: count)
        unsafe base.deallocate()
        unsafe base = moved
        capacity = larger
    }
}
