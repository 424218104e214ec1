/**
 * Settings and output of the benchmarks.
 *
 * @module
 */
import { readFile } from "node:fs/promises"
import type { Measured } from "./load.ts"

/** The number of alternating rounds, and the duration of a measurement in milliseconds. */
export const rounds = Number(process.env["BENCH_ROUNDS"] ?? 5)
export const millis = Number(process.env["BENCH_MILLIS"] ?? 3000)

/** A clock tick of Linux's process accounting, in milliseconds. */
const tick = 10

/** The CPU time of a process and of all processes it has started, in milliseconds; NaN if it is unavailable. */
export const processorMillis = async (pid: number | null): Promise<number> => {
  const stat = pid === null ? "" : await readFile(`/proc/${pid}/stat`, "latin1").catch(() => "")
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
  const started = await readFile(`/proc/${pid}/task/${pid}/children`, "latin1").catch(() => "")
  const ofStarted = await Promise.all(
    started
      .split(" ")
      .filter((text) => text !== "")
      .map((child) => processorMillis(Number(child)))
  )
  const own = fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0)
  return ofStarted.reduce((sum, one) => sum + one, own * tick)
}

/**
 * The results of a load, with the CPU time per request in milliseconds: of the loaded server, of the database, and of the load
 * itself.
 */
export interface Taken extends Measured {
  readonly processor: number
  readonly database: number
  readonly client: number
}

/**
 * Runs a load against a process that uses a database. `pid` is null for a server of many processes, whose CPU time is not
 * measured.
 */
export const taking = async (
  pid: number | null,
  database: number | null,
  run: () => Promise<Measured>
): Promise<Taken> => {
  const used = async () => {
    const { system, user } = process.cpuUsage()
    return [await processorMillis(pid), await processorMillis(database), (system + user) / 1000]
  }
  const before = await used()
  const measured = await run()
  const after = await used()
  const [processor, ofDatabase, client] = after.map((one, index) => (one - before[index]!) / measured.count)
  return { ...measured, processor: processor!, database: ofDatabase!, client: client! }
}

/** A rate per second. */
export interface Rate {
  readonly perSecond: number
}

/** The median. */
export const median = (values: ReadonlyArray<number>): number => {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)]!
}

/** Prints the medians of a load's results. */
export const line = (name: string, measured: ReadonlyArray<Measured>): void => {
  const of = (pick: (one: Measured) => number, digits: number) => median(measured.map(pick)).toFixed(digits)
  console.log(
    `${name.padEnd(44)} ${of((one) => one.perSecond, 0).padStart(7)} /s   p50 ${of((one) => one.p50, 2)} ms   p99 ${of((one) => one.p99, 2)} ms`
  )
}

/** Prints the medians of a load's results, with its CPU time. */
export const takenLine = (name: string, measured: ReadonlyArray<Taken>): void => {
  line(name, measured)
  const each = (of: "processor" | "database" | "client") => median(measured.map((one) => one[of]))
  const shown = (["processor", "database", "client"] as const).flatMap((of) =>
    Number.isNaN(each(of)) ? [] : [`${of} ${each(of).toFixed(3)} ms`]
  )
  console.log(`${"".padEnd(44)} each: ${shown.join(", ")}`)
}

/** Prints the median of the ratios in each round. */
export const ratio = (name: string, of: ReadonlyArray<Rate>, to: ReadonlyArray<Rate>): void => {
  const ratios = of.map((one, index) => one.perSecond / to[index]!.perSecond)
  console.log(
    `${name.padEnd(44)} ${median(ratios).toFixed(2)}  (${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)})`
  )
}
