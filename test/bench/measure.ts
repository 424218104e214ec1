/**
 * Settings and output of the benchmarks.
 *
 * @module
 */
import { readFile } from "node:fs/promises"
import type { Measured } from "./load.ts"

/** The number of alternating rounds, and the duration of a measurement. */
export const rounds = Number(process.env["BENCH_ROUNDS"] ?? 5)
export const millis = Number(process.env["BENCH_MILLIS"] ?? 3000)

/** A clock tick of Linux's accounts of processes, in milliseconds. */
const tick = 10

/** The CPU time of a process and those it started, milliseconds; not a number where it is unavailable. */
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
  return ofStarted.reduce((sum, one) => sum + one, (Number(fields[11]) + Number(fields[12])) * tick)
}

/** A load, and the CPU time that the server it loaded spent on each request, milliseconds; without that of the database. */
export interface Taken extends Measured {
  readonly processor: number
}

/** Runs a load of a process; null for a server of many processes, whose CPU time is not measured. */
export const taking = async (pid: number | null, run: () => Promise<Measured>): Promise<Taken> => {
  const before = await processorMillis(pid)
  const measured = await run()
  return { ...measured, processor: ((await processorMillis(pid)) - before) / measured.count }
}

/** So many a second. */
export interface Rate {
  readonly perSecond: number
}

/** The middle one. */
export const median = (values: ReadonlyArray<number>): number => {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)]!
}

/** Prints the medians of a load. */
export const line = (name: string, measured: ReadonlyArray<Measured>): void => {
  const of = (pick: (one: Measured) => number, digits: number) => median(measured.map(pick)).toFixed(digits)
  console.log(
    `${name.padEnd(44)} ${of((one) => one.perSecond, 0).padStart(7)} /s   p50 ${of((one) => one.p50, 2)} ms   p99 ${of((one) => one.p99, 2)} ms`
  )
}

/** Prints the medians of a load, and of its CPU time. */
export const takenLine = (name: string, measured: ReadonlyArray<Taken>): void => {
  line(name, measured)
  const each = median(measured.map(({ processor }) => processor))
  if (!Number.isNaN(each)) console.log(`${"".padEnd(44)} ${each.toFixed(2)} ms of the processor each`)
}

/** Prints the median of the ratios of each round. */
export const ratio = (name: string, of: ReadonlyArray<Rate>, to: ReadonlyArray<Rate>): void => {
  const ratios = of.map((one, index) => one.perSecond / to[index]!.perSecond)
  console.log(
    `${name.padEnd(44)} ${median(ratios).toFixed(2)}  (${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)})`
  )
}
