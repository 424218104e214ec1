import { describe, expect, it } from "@effect/vitest"
import * as fc from "fast-check"
import { maxDuration, parseDuration } from "../../../core/automation/definition/Duration.ts"
import { isTimeZone, nextTimeOfDay, parseTimeOfDay } from "../../../core/kernel/TimeOfDay.ts"

const at = (text: string): number => Date.parse(text)
const next = (time: string, zone: string, now: string): string =>
  new Date(nextTimeOfDay(parseTimeOfDay(time)!, zone, at(now))).toISOString()

describe("a time of day", () => {
  it("is the next one in the time zone", () => {
    expect(next("09:00", "UTC", "2031-05-06T08:00:00Z")).toBe("2031-05-06T09:00:00.000Z")
    expect(next("09:00", "UTC", "2031-05-06T09:00:00Z")).toBe("2031-05-06T09:00:00.000Z")
    expect(next("09:00", "UTC", "2031-05-06T09:00:00.001Z")).toBe("2031-05-07T09:00:00.000Z")
    expect(next("09:00", "Europe/Berlin", "2031-05-06T08:00:00Z")).toBe("2031-05-07T07:00:00.000Z")
    expect(next("09:00", "Asia/Kolkata", "2031-05-06T00:00:00Z")).toBe("2031-05-06T03:30:00.000Z")
    expect(next("09:00", "Pacific/Kiritimati", "2031-05-06T12:00:00Z")).toBe("2031-05-06T19:00:00.000Z")
    expect(next("09:00", "America/Los_Angeles", "2031-05-06T03:00:00Z")).toBe("2031-05-06T16:00:00.000Z")
  })

  it("follows daylight saving: winter, summer, the skipped hour, the repeated hour", () => {
    expect(next("09:00", "Europe/Berlin", "2025-03-29T09:00:00Z")).toBe("2025-03-30T07:00:00.000Z")
    expect(next("09:00", "Europe/Berlin", "2025-10-25T09:00:00Z")).toBe("2025-10-26T08:00:00.000Z")
    expect(next("02:30", "Europe/Berlin", "2025-03-29T12:00:00Z")).toBe("2025-03-30T01:30:00.000Z")
    expect(next("02:30", "Europe/Berlin", "2025-10-25T12:00:00Z")).toBe("2025-10-26T00:30:00.000Z")
    expect(next("02:30", "America/New_York", "2025-03-08T12:00:00Z")).toBe("2025-03-09T07:30:00.000Z")
    expect(next("00:00", "America/Santiago", "2025-09-06T12:00:00Z")).toBe("2025-09-07T04:00:00.000Z")
  })

  it("is within a day, at that local time unless it is skipped", () => {
    const zones = ["UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu"]
    fc.assert(
      fc.property(
        fc.constantFrom(...zones),
        fc.nat({ max: 1439 }),
        fc.integer({ min: at("2024-01-01T00:00:00Z"), max: at("2035-01-01T00:00:00Z") }),
        (zone, minutes, now) => {
          const found = nextTimeOfDay(minutes, zone, now)
          expect(found - now).toBeGreaterThanOrEqual(0)
          expect(found - now).toBeLessThanOrEqual(25.5 * 3_600_000)
          const clock = new Intl.DateTimeFormat("en-GB", {
            timeZone: zone,
            hour: "2-digit",
            minute: "2-digit",
            hourCycle: "h23"
          }).format(found)
          const [hours, rest] = clock.split(":").map(Number) as [number, number]
          expect((hours * 60 + rest - minutes + 1440) % 1440).toBeLessThanOrEqual(60)
        }
      )
    )
  })

  it("accepts IANA names of time zones only", () => {
    expect(isTimeZone("Europe/Berlin")).toBe(true)
    for (const text of ["", "+02:00", "Mars/Olympus", "x".repeat(65), "Europe/Berlin\0"]) {
      expect(isTimeZone(text)).toBe(false)
    }
  })
})

describe("parseDuration", () => {
  it("accepts weeks, days, hours, minutes and seconds up to 366 days", () => {
    expect(parseDuration("P1W")).toBe(7 * 86_400_000)
    expect(parseDuration("P3D")).toBe(3 * 86_400_000)
    expect(parseDuration("P1DT2H3M4S")).toBe(86_400_000 + 7_384_000)
    expect(parseDuration("PT90M")).toBe(5_400_000)
    expect(parseDuration("P366D")).toBe(maxDuration)
    for (const text of ["", "P", "PT", "P1M", "P1Y", "P0D", "PT0S", "P367D", "1D", "-P1D", "P1.5D", "P1DT"]) {
      expect(parseDuration(text)).toBeNull()
    }
  })
})
