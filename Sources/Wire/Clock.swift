// The clocks, read by the loop once a turn. Everyone else takes `Loop.now` and `Loop.wallClock`, or time as a parameter.
import Glibc

enum Clock {
    /// Microseconds of the monotonic clock.
    static func monotonicMicroseconds() -> Int64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000
    }

    /// Milliseconds of the monotonic clock.
    static func monotonic() -> Int64 { monotonicMicroseconds() / 1_000 }

    /// Milliseconds since 1970.
    static func wall() -> Int64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
    }
}
