// Times as pages show them. The server writes UTC into `datetime` and a text that is true without JavaScript; the browser
// turns it into the reader's zone.

package import Markup

/// A time in milliseconds since 1970, UTC.
package struct Moment: Sendable, Equatable {
    package var milliseconds: Int64

    package init(_ milliseconds: Int64) { self.milliseconds = milliseconds }

    /// Year, month (1...12) and day of the proleptic Gregorian calendar, and the second of the day.
    private var parts: (year: Int64, month: Int64, day: Int64, second: Int64) {
        let seconds = milliseconds.dividedFloor(by: 1_000)
        let days = seconds.dividedFloor(by: 86_400)
        // Days from 1 March of year 0, so that the leap day ends the year.
        let shifted = days + 719_468
        let era = shifted.dividedFloor(by: 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1, seconds - days * 86_400)
    }

    /// `2026-01-02T03:04:05Z`.
    package var iso: String {
        let (year, month, day, second) = parts
        return "\(year.padded(4))-\(month.padded(2))-\(day.padded(2))T\(clock(second)):\((second % 60).padded(2))Z"
    }

    /// `2 Jan 2026, 03:04 UTC`.
    package var text: String {
        let (year, month, day, second) = parts
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        return "\(day) \(months[Int(month) - 1]) \(year), \(clock(second)) UTC"
    }

    /// `now` within a minute or in the future, else `5 min ago`, `3 h ago`, `12 days ago`, and the date after 30 days.
    package func age(at now: Int64) -> String {
        let minutes = (now - milliseconds) / 60_000
        return switch minutes {
        case ..<1: "now"
        case ..<60: "\(minutes) min ago"
        case ..<1_440: "\(minutes / 60) h ago"
        case ..<2_880: "yesterday"
        case ..<43_200: "\(minutes / 1_440) days ago"
        default: text
        }
    }

    /// The time as an element; nothing for a time that is not known (0).
    package func html(now: Int64? = nil) -> HTML {
        guard milliseconds > 0, milliseconds < 253_402_300_800_000 else { return HTML() }
        return "<time class=\"age\" datetime=\"\(iso)\">\(now.map(age) ?? text)</time>"
    }

    /// How long until this time: `7 days`, `3 h`, `10 min`.
    package func distance(from now: Int64) -> String {
        let minutes = max(0, milliseconds - now + 59_999) / 60_000
        return switch minutes {
        case ..<120: "\(minutes) min"
        case ..<2_880: "\(minutes / 60) h"
        default: "\(minutes / 1_440) days"
        }
    }

    private func clock(_ second: Int64) -> String { "\((second / 3_600).padded(2)):\((second / 60 % 60).padded(2))" }
}

extension Int64 {
    fileprivate func dividedFloor(by divisor: Int64) -> Int64 {
        self >= 0 ? self / divisor : -((-self + divisor - 1) / divisor)
    }

    fileprivate func padded(_ width: Int) -> String {
        let text = String(self)
        return String(repeating: "0", count: Swift.max(0, width - text.count)) + text
    }
}
