/**
 * Tests of the devices named by user agents, and of those derived from a person's visits.
 *
 * @module
 */
import { expect, it } from "vitest"
import * as fc from "fast-check"
import { type Device, deviceOf } from "../../../core/model/Device.ts"
import { devicesOf, maxDevices } from "../../../core/model/SeenDevice.ts"
import { type Visit, visitVerdicts } from "../../../core/model/Visit.ts"

const webKit = "AppleWebKit/605.1.15 (KHTML, like Gecko)"

it.each<readonly [string, ...ReadonlyArray<string | null>]>([
  [
    `Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) ${webKit} Version/18.5 Mobile/15E148 Safari/604.1`,
    "Phone",
    "Safari",
    "iOS"
  ],
  [
    `Mozilla/5.0 (iPad; CPU OS 17_0 like Mac OS X) ${webKit} CriOS/130.0 Mobile/15E148 Safari/604.1`,
    "Tablet",
    "Chrome",
    "iOS"
  ],
  [`Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) ${webKit} Mobile/15E148`, "Phone", null, "iOS"],
  [
    "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Mobile Safari/537.36",
    "Phone",
    "Chrome",
    "Android"
  ],
  [
    "Mozilla/5.0 (Linux; Android 14; SM-X710) AppleWebKit/537.36 SamsungBrowser/27.0 Chrome/125.0.0.0 Safari/537.36",
    "Tablet",
    "Samsung Internet",
    "Android"
  ],
  [
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36 Edg/130.0.0.0",
    "Computer",
    "Edge",
    "Windows"
  ],
  [
    "Mozilla/4.0 (compatible; MSIE 7.0; Windows NT 10.0; WOW64; Trident/7.0; Microsoft Outlook 16.0.4266; ms-office; MSOffice 16)",
    "Computer",
    "Outlook",
    "Windows"
  ],
  [
    "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Thunderbird/128.4.0",
    "Computer",
    "Thunderbird",
    "Linux"
  ],
  [
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) Gecko/20100101 Firefox/132.0",
    "Computer",
    "Firefox",
    "macOS"
  ],
  [
    "Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) AppleWebKit/537.36 Chrome/130.0.0.0 Safari/537.36",
    "Computer",
    "Chrome",
    "ChromeOS"
  ]
])("%s names its device", (userAgent, kind, program, system) => {
  expect(deviceOf(userAgent)).toEqual({ kind, program, system })
})

it.each([null, "", "Mozilla/5.0", "Lynx/2.9", "x".repeat(100_000)])("%s names no device", (userAgent) => {
  expect(deviceOf(userAgent)).toBeNull()
})

const devices: ReadonlyArray<Device> = Array.from({ length: 30 }, (_, at) => ({
  kind: at % 2 === 0 ? "Phone" : null,
  program: `Program ${at}`,
  system: null
}))

const visits: fc.Arbitrary<ReadonlyArray<Visit>> = fc.array(
  fc
    .record({
      at: fc.nat(1_000),
      kind: fc.constantFrom("Open" as const, "Click" as const),
      verdict: fc.constantFrom(...visitVerdicts),
      rule: fc.constantFrom("rest" as const, "click" as const),
      device: fc.option(fc.constantFrom(...devices))
    })
    .map(({ device, ...visit }): Visit => ({
      ...visit,
      link: null,
      method: "GET",
      network: null,
      agent: "Browser",
      ...(device === null ? {} : { device })
    }))
)

it("a person's devices are those of visits that are no machine's, the last seen first", () => {
  fc.assert(
    fc.property(visits, (given) => {
      const found = devicesOf(given)
      const counted = given.filter(
        ({ device, rule, verdict }) => device !== undefined && verdict !== "Machine" && rule !== "click"
      )
      const programs = new Set(counted.map(({ device }) => device!.program))
      expect(found).toHaveLength(Math.min(programs.size, maxDevices))
      expect(found).toEqual(found.toSorted((a, b) => b.lastSeenAt - a.lastSeenAt))
      for (const { clicks, kind, lastSeenAt, opens, program } of found) {
        const own = counted.filter(({ device }) => device!.program === program)
        expect([opens, clicks]).toEqual(
          (["Open", "Click"] as const).map((one) => own.filter((visit) => visit.kind === one).length)
        )
        expect(lastSeenAt).toBe(Math.max(...own.map(({ at }) => at)))
        expect(own[0]!.device!.kind).toBe(kind)
      }
    })
  )
})
