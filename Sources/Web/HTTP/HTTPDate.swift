// Dates of HTTP (RFC 9110 §5.6.7): one form is written, three are read. Proleptic Gregorian arithmetic; no time zones here.

/// Seconds since 1970 as HTTP writes them.
package enum HTTPDate {
    private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// `Sun, 06 Nov 1994 08:49:37 GMT`.
    package static func text(_ seconds: Int64) -> String {
        let day = seconds.quotient(by: 86_400)
        let second = Int(seconds - day * 86_400)
        let (year, month, date) = civil(day)
        let weekday = Int(day - day.quotient(by: 7) * 7)
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let time = "\(two(second / 3_600)):\(two(second / 60 % 60)):\(two(second % 60))"
        let padding = String(repeating: "0", count: max(0, 4 - String(year).count))
        return "\(days[weekday]), \(two(date)) \(months[month - 1]) \(padding)\(year) \(time) GMT"
    }

    /// Reads IMF-fixdate, RFC 850 and asctime dates; nil for anything else. The day's name is not looked at.
    ///
    /// - Parameter now: seconds since 1970; a two-digit year is never more than 50 years after it.
    package static func parse(_ text: String, now: Int64) -> Int64? {
        let parts = text.split(separator: " ", omittingEmptySubsequences: true)
        switch parts.count {
        case 6 where parts[5] == "GMT":
            return seconds(year: parts[3], month: parts[2], date: parts[1], time: parts[4], now: now)
        case 4 where parts[3] == "GMT":
            let date = parts[1].split(separator: "-", omittingEmptySubsequences: false)
            guard date.count == 3 else { return nil }
            return seconds(year: date[2], month: date[1], date: date[0], time: parts[2], now: now)
        case 5: return seconds(year: parts[4], month: parts[1], date: parts[2], time: parts[3], now: now)
        default: return nil
        }
    }

    private static func seconds(
        year: Substring,
        month: Substring,
        date: Substring,
        time: Substring,
        now: Int64
    ) -> Int64? {
        let clock = time.split(separator: ":", omittingEmptySubsequences: false)
        guard clock.count == 3, let hour = number(clock[0], 0...23), let minute = number(clock[1], 0...59),
            let second = number(clock[2], 0...60), let day = number(date, 1...31),
            let monthIndex = months.firstIndex(of: String(month)), var fullYear = number(year, 0...9_999)
        else { return nil }
        if year.utf8.count == 2 {
            let thisYear = civil(now.quotient(by: 86_400)).year
            fullYear += thisYear / 100 * 100
            if fullYear > thisYear + 50 { fullYear -= 100 }
        } else if year.utf8.count != 4 {
            return nil
        }
        let days = daysSince1970(year: fullYear, month: monthIndex + 1, date: day)
        return days * 86_400 + Int64(hour * 3_600 + minute * 60 + second)
    }

    private static func number(_ text: Substring, _ range: ClosedRange<Int>) -> Int? {
        guard !text.isEmpty, text.utf8.allSatisfy({ $0.isDigit }), let number = Int(text), range.contains(number) else {
            return nil
        }
        return number
    }

    /// Year, month and day of a day number, by counting eras of 400 years that start in March.
    private static func civil(_ day: Int64) -> (year: Int, month: Int, date: Int) {
        let shifted = day + 719_468
        let era = shifted.quotient(by: 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        let date = Int(dayOfYear - (153 * marchMonth + 2) / 5 + 1)
        let month = Int(marchMonth < 10 ? marchMonth + 3 : marchMonth - 9)
        return (Int(yearOfEra + era * 400) + (month <= 2 ? 1 : 0), month, date)
    }

    private static func daysSince1970(year: Int, month: Int, date: Int) -> Int64 {
        let marchYear = Int64(month <= 2 ? year - 1 : year)
        let era = marchYear.quotient(by: 400)
        let yearOfEra = marchYear - era * 400
        let dayOfYear = Int64((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + date - 1)
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }
}

extension Int64 {
    /// Division that rounds down, so that days before 1970 are days too.
    fileprivate func quotient(by divisor: Int64) -> Int64 {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }
}
