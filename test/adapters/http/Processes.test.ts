/**
 * Tests that the metrics of several processes are merged into those of one.
 *
 * @module
 */
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { mergeMetrics } from "../../../adapters/http/metrics/Processes.ts"

const text = (...lines: ReadonlyArray<string>): string => `${lines.join("\n")}\n`

const calls = (...counts: ReadonlyArray<readonly [route: string, count: number]>) =>
  text(
    "# HELP svc_http_requests_total Requests",
    "# TYPE svc_http_requests_total counter",
    ...counts.map(([route, count]) => `svc_http_requests_total{route="${route}"} ${count}`)
  )

const gauge = (name: string, value: string) =>
  text(`# HELP ${name} Of a test`, `# TYPE ${name} gauge`, `${name} ${value}`)

describe("mergeMetrics", () => {
  it("returns the own metrics where there are no others", () => {
    fc.assert(fc.property(fc.string(), (own) => mergeMetrics(own, []) === own))
  })

  it("adds counters, with the labels that only others have", () => {
    const merged = mergeMetrics(calls(["/a", 1], ["/b", 2]), [
      calls(["/b", 3]),
      calls(["/c d", 4], ["/b", 1])
    ])
    expect(merged).toBe(calls(["/a", 1], ["/b", 6], ["/c d", 4]))
  })

  it("adds the buckets of histograms", () => {
    const histogram = (...counts: ReadonlyArray<number>) =>
      text(
        "# HELP h Of a test",
        "# TYPE h histogram",
        `h_bucket{le="1"} ${counts[0]}`,
        `h_bucket{le="+Inf"} ${counts[1]}`,
        `h_sum ${counts[2]}`,
        `h_count ${counts[1]}`
      )
    expect(mergeMetrics(histogram(1, 2, 2.5), [histogram(3, 5, 4)])).toBe(histogram(4, 7, 6.5))
  })

  it.each([
    ["process_resident_memory_bytes", "1000", "500", "1500"],
    ["process_start_time_seconds", "20", "10", "10"],
    ["svc_event_loop_delay_seconds", "0.5", "0.25", "0.5"],
    ["svc_jobs_pending", "7", "9", "7"],
    ["svc_store_ping_seconds", "NaN", "1", "NaN"]
  ])("makes one gauge of %s: %s and %s are %s", (name, own, other, merged) => {
    expect(mergeMetrics(gauge(name, own), [gauge(name, other)])).toBe(gauge(name, merged))
  })

  it("has the metrics that only another process has", () => {
    const own = gauge("svc_jobs_pending", "1")
    const other = gauge("svc_certificate_expiry_timestamp_seconds", "5")
    expect(mergeMetrics(own, [other])).toBe(`${own}\n${other}`)
  })
})
