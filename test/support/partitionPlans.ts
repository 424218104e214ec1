/**
 * Counts from the plans of recorded statements how many partitions of a table each one touches, and how many rows it reads.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { CurrentTransformer } from "effect/sql/Statement"

/** The recorded statements about partitioned tables, each with the parameters of some of its executions. */
export type Recorded = Map<string, Array<ReadonlyArray<unknown>>>

/** The most executions of a statement that are recorded. */
const mostSamples = 100

/** Storage ports whose statements are recorded in a map. */
export const recording = (into: Recorded, tables: RegExp) =>
  Layer.succeed(CurrentTransformer, (statement) => {
    const [text, parameters] = statement.compile()
    if (tables.test(text)) {
      const samples = into.get(text) ?? []
      into.set(text, samples)
      if (samples.length < mostSamples) samples.push(parameters)
    }
    return Effect.succeed(statement)
  })

const literal = (value: unknown): string => {
  if (value === null || value === undefined) return "null"
  const text = Array.isArray(value)
    ? `{${value.map((each) => (each === null ? "NULL" : JSON.stringify(String(each)))).join(",")}}`
    : value instanceof Date
      ? value.toISOString()
      : String(value)
  return `'${text.replaceAll("'", "''")}'`
}

interface Plan {
  readonly "Node Type": string
  readonly "Actual Loops": number
  readonly "Actual Rows": number
  readonly "Index Name"?: string
  readonly "Relation Name"?: string
  readonly Strategy?: string
  readonly "Rows Removed by Filter"?: number
  readonly "Rows Removed by Index Recheck"?: number
  readonly "Subplans Removed"?: number
  readonly Plans?: ReadonlyArray<Plan>
}

/** Whether a plan node counts rows. An aggregate with groups removes duplicates instead. */
const isTotal = (plan: Plan): boolean => plan["Node Type"] === "Aggregate" && plan.Strategy === "Plain"

const isPartition = /^(?:attempts|events)(?:_\d{4}_\d{2}|_after)?$/

/** The most partitions read by one execution of any part of a plan, averaged over its executions. */
const partitionsOf = (plan: Plan, withTotals: boolean): number => {
  if (!withTotals && isTotal(plan)) return 0
  const parts = plan.Plans ?? []
  const below = Math.max(0, ...parts.map((part) => partitionsOf(part, withTotals)))
  if (plan["Node Type"] !== "Append" && plan["Node Type"] !== "Merge Append") return below
  // An Append also combines other tables.
  const read = parts
    .filter((part) => isPartition.test(part["Relation Name"] ?? ""))
    .reduce((sum, part) => sum + part["Actual Loops"], 0)
  return Math.max(below, read / Math.max(1, plan["Actual Loops"]))
}

/**
 * The number of partitions that a statement reads: the fewest over its recorded executions, or the first number within `most`.
 * Some statements are about rows of several months, and a list reads on until its page is full. Writes of the statement are
 * rolled back.
 *
 * @param withTotals whether reads for counting rows are included
 *
 * @returns null if every execution failed, for example with a conflict because it was repeated
 */
export const partitionsRead = Effect.fnUntraced(function* (
  text: string,
  samples: ReadonlyArray<ReadonlyArray<unknown>>,
  most: number,
  withTotals: boolean
) {
  const sql = yield* SqlClient
  let fewest: number | null = null
  for (const parameters of samples) {
    const found = yield* Effect.gen(function* () {
      // Discourages sorting, as if the tables were large; sorting is cheaper for the few rows of a test.
      yield* sql.unsafe("set local enable_sort = off")
      yield* sql.unsafe("set local enable_bitmapscan = off")
      yield* sql.unsafe(`prepare recorded as ${text}`)
      const values = parameters.length === 0 ? "" : `(${parameters.map(literal).join(", ")})`
      const [row] = yield* sql.unsafe<{ readonly "QUERY PLAN": ReadonlyArray<{ readonly Plan: Plan }> }>(
        `explain (analyze, format json) execute recorded${values}`
      )
      yield* sql.unsafe("deallocate recorded")
      return yield* Effect.fail(partitionsOf(row!["QUERY PLAN"][0]!.Plan, withTotals))
    }).pipe(sql.withTransaction, Effect.flip)
    if (typeof found !== "number") continue
    fewest = Math.min(fewest ?? Infinity, found)
    if (fewest <= most) break
  }
  return fewest
})

/**
 * The rows that scans of tables and indexes return or discard. A bitmap index scan only names rows, of which the heap scan counts
 * those that are read.
 */
const rowsOf = (plan: Plan): number => {
  if (plan["Node Type"] === "Bitmap Index Scan") return 0
  const below = (plan.Plans ?? []).reduce((sum, part) => sum + rowsOf(part), 0)
  if (plan["Relation Name"] === undefined && plan["Index Name"] === undefined) return below
  const rows =
    plan["Actual Rows"] + (plan["Rows Removed by Filter"] ?? 0) + (plan["Rows Removed by Index Recheck"] ?? 0)
  return below + rows * plan["Actual Loops"]
}

/** The tables that are read, except those whose rows are only counted. */
const tablesOf = (plan: Plan): ReadonlyArray<string> => {
  if (isTotal(plan) || plan["Actual Loops"] === 0) return []
  const below = (plan.Plans ?? []).flatMap(tablesOf)
  return plan["Relation Name"] === undefined ? below : [plan["Relation Name"], ...below]
}

/** Measures one execution of a statement. Its writes are rolled back. */
const execution = Effect.fnUntraced(function* <A>(
  text: string,
  parameters: ReadonlyArray<unknown>,
  of: (plan: Plan) => A
) {
  const sql = yield* SqlClient
  return yield* Effect.gen(function* () {
    yield* sql.unsafe(`prepare recorded as ${text}`)
    const values = parameters.length === 0 ? "" : `(${parameters.map(literal).join(", ")})`
    const [row] = yield* sql.unsafe<{ readonly "QUERY PLAN": ReadonlyArray<{ readonly Plan: Plan }> }>(
      `explain (analyze, timing off, format json) execute recorded${values}`
    )
    yield* sql.unsafe("deallocate recorded")
    return of(row!["QUERY PLAN"][0]!.Plan)
  }).pipe(sql.withTransaction)
})

/** How many rows one execution of a statement reads. */
export const rowsRead = (text: string, parameters: ReadonlyArray<unknown>) =>
  execution(text, parameters, rowsOf)

/** The tables and partitions that one execution of a statement reads, except those whose rows are only counted. */
export const tablesRead = (text: string, parameters: ReadonlyArray<unknown>) =>
  execution(text, parameters, (plan) => [...new Set(tablesOf(plan))].toSorted())
