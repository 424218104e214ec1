/**
 * Compares writing and changing batches end to end with raw SQL, in alternating rounds.
 *
 * @module
 */
import { median, type Rate, ratio, rounds } from "./measure.ts"

/** Writes a batch. */
export type Send<Rows> = (rows: Rows) => Promise<void>

/** The writes to measure. */
export interface BatchBench<Rows extends ReadonlyArray<unknown>> {
  /** The unit of the results. */
  readonly noun: string
  /** The names of the first and the second write of a batch. */
  readonly changes: readonly [first: string, second: string]
  readonly batchesPerClient: number
  /** A batch. It is the same in every round of `key`, except for what depends on `version`, 0 or 1. */
  readonly rowsOf: (key: string, batch: number, version: number) => Rows
  /** The targets: first raw SQL, with which the others are compared. Each is opened again for every round. */
  readonly targets: ReadonlyArray<readonly [name: string, open: () => Promise<Send<Rows>>]>
}

/** Measures with one client and with four, and prints the results. */
export const benchBatches = async <Rows extends ReadonlyArray<unknown>>({
  batchesPerClient,
  changes,
  noun,
  rowsOf,
  targets
}: BatchBench<Rows>): Promise<void> => {
  /** The rows per second with `clients`, each sending batches one after another. */
  const measure = async (clients: number, key: string, version: number, send: Send<Rows>): Promise<Rate> => {
    const from = performance.now()
    const written = await Promise.all(
      Array.from({ length: clients }, async (_, client) => {
        let rows = 0
        for (let index = 0; index < batchesPerClient; index++) {
          const batch = rowsOf(key, client * batchesPerClient + index, version)
          await send(batch)
          rows += batch.length
        }
        return rows
      })
    )
    return { perSecond: (written.reduce((sum, rows) => sum + rows, 0) * 1000) / (performance.now() - from) }
  }
  /** Writes and then changes the batches of a round on a target. */
  const both = async (clients: number, key: string, send: Send<Rows>) => [
    await measure(clients, key, 0, send),
    await measure(clients, key, 1, send)
  ]
  const keyOf = (name: string) => name.replaceAll(" ", "")
  for (const [name, open] of targets) await both(1, `warm-${keyOf(name)}`, await open())
  for (const clients of [1, 4]) {
    const rates = changes.map(() => new Map<string, Array<Rate>>(targets.map(([name]) => [name, []])))
    for (let round = 0; round < rounds; round++) {
      for (const [name, open] of targets) {
        const measured = await both(clients, `${keyOf(name)}-${clients}-${round}`, await open())
        for (const [index, rate] of measured.entries()) rates[index]!.get(name)!.push(rate)
      }
    }
    for (const [index, change] of changes.entries()) {
      const perSecond = (of: ReadonlyArray<Rate>) => median(of.map((one) => one.perSecond)).toFixed(0)
      const [[rawName, raw], ...others] = [...rates[index]!] as [[string, Array<Rate>]]
      console.log(`${clients} clients, ${change}: ${rawName} ${perSecond(raw)} ${noun}/s`)
      for (const [name, of] of others as ReadonlyArray<[string, Array<Rate>]>) {
        ratio(`  ${name}, ${perSecond(of)} ${noun}/s, of ${rawName}`, of, raw)
      }
    }
  }
}
