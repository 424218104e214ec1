/**
 * Merges the metrics of the processes that serve one port.
 *
 * @module
 */
import { Context, Effect } from "effect"

/** The metrics of the supervisor's other processes, in Prometheus's text format; empty without a supervisor. */
export const OtherProcesses = Context.Reference<Effect.Effect<ReadonlyArray<string>>>(
  "svc/http/OtherProcesses",
  { defaultValue: () => Effect.succeed([]) }
)

type Combine = (one: number, other: number) => number

const sum: Combine = (one, other) => one + other

/** How the values of a gauge from several processes are combined. Other gauges have the same value in each process. */
const gauges: Readonly<Record<string, Combine>> = {
  process_resident_memory_bytes: sum,
  process_start_time_seconds: Math.min,
  svc_body_bytes: sum,
  svc_event_loop_delay_seconds: Math.max,
  svc_external_memory_bytes: sum,
  svc_heap_limit_bytes: sum,
  svc_heap_used_bytes: sum,
  svc_relay_connections: sum,
  svc_thread_runs: sum
}

const same: Combine = (one) => one

/** A metric and its values by series, such as `svc_jobs_pending{queue="mail"}`. */
interface Family {
  readonly head: Array<string>
  readonly combine: Combine
  readonly series: Map<string, number>
}

const familiesOf = (text: string): Map<string, Family> => {
  const families = new Map<string, Family>()
  const heads: Array<string> = []
  let current: Family | null = null
  for (const line of text.split("\n")) {
    if (line === "") continue
    if (line.startsWith("#")) {
      heads.push(line)
      const [, keyword, name = "", type] = line.split(" ")
      if (keyword !== "TYPE") continue
      current = {
        head: heads.splice(0),
        combine: type === "gauge" ? (gauges[name] ?? same) : sum,
        series: new Map()
      }
      families.set(name, current)
      continue
    }
    const end = line.lastIndexOf(" ")
    current?.series.set(line.slice(0, end), Number(line.slice(end + 1)))
  }
  return families
}

const textOf = (value: number): string =>
  Number.isFinite(value) ? String(value) : Number.isNaN(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf"

/**
 * Merges the metrics of this process and of others into those of one. Counters and histograms are added. Gauges that
 * measure a process are combined, and other gauges keep this process's value. The texts are in the format of
 * `PrometheusMetrics.format`.
 */
export const mergeMetrics = (own: string, others: ReadonlyArray<string>): string => {
  if (others.length === 0) return own
  const merged = familiesOf(own)
  for (const text of others) {
    for (const [name, family] of familiesOf(text)) {
      const known = merged.get(name)
      if (known === undefined) merged.set(name, family)
      else {
        for (const [series, value] of family.series) {
          const before = known.series.get(series)
          known.series.set(series, before === undefined ? value : known.combine(before, value))
        }
      }
    }
  }
  return Array.from(merged.values(), ({ head, series }) =>
    [...head, ...Array.from(series, ([name, value]) => `${name} ${textOf(value)}`), ""].join("\n")
  ).join("\n")
}
