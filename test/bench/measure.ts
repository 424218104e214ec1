/**
 * Settings and output of the benchmarks.
 *
 * @module
 */
import type { Measured } from "./load.ts"

/** The number of alternating rounds, and the duration of a measurement. */
export const rounds = Number(process.env["BENCH_ROUNDS"] ?? 5)
export const millis = Number(process.env["BENCH_MILLIS"] ?? 3000)

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

/** Prints the median of the ratios of each round. */
export const ratio = (name: string, of: ReadonlyArray<Rate>, to: ReadonlyArray<Rate>): void => {
  const ratios = of.map((one, index) => one.perSecond / to[index]!.perSecond)
  console.log(
    `${name.padEnd(44)} ${median(ratios).toFixed(2)}  (${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)})`
  )
}
