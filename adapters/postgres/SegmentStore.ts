/**
 * Segments in the database, and the contacts that a definition selects.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import type { Segment } from "../../core/model/Segment.ts"
import type { SegmentDefinition } from "../../core/model/SegmentDefinition.ts"
import { type SegmentCount, SegmentStore } from "../../core/ports/SegmentStore.ts"
import { Transaction } from "../../core/ports/Transaction.ts"
import { Unavailable } from "../../core/shared/Problem.ts"
import { contacts as contactColumns } from "./contacts/columns.ts"
import { columnsOf } from "./sql/columns.ts"
import { orUnavailable } from "./sql/errors.ts"
import { pageOf, type PageRow } from "./sql/pages.ts"
import { first } from "./sql/results.ts"
import { tableOf } from "./sql/tables.ts"
import { type Statement, countStatement, listStatement, pageStatement } from "./segments/statements.ts"

type StoredSegment = Omit<Segment, "builtInKey">

const columns = columnsOf<StoredSegment>({
  id: "uuid",
  accountId: "uuid",
  name: "text",
  description: "text",
  definition: "jsonb",
  createdAt: "timestamptz"
})

const toSegments = Effect.map((rows: ReadonlyArray<StoredSegment>) =>
  rows.map((row): Segment => ({ ...row, builtInKey: null }))
)

/** The most definitions that one statement counts, so that its one pass over the contacts ends in time. */
const maxCounted = 8
/** The most rules of those definitions together. */
const maxRulesCounted = 60

/** The definitions in groups, in order, each group small enough for one statement. */
const groupsOf = (
  definitions: ReadonlyArray<SegmentDefinition>
): ReadonlyArray<ReadonlyArray<SegmentDefinition>> => {
  const groups: Array<Array<SegmentDefinition>> = []
  let rules = 0
  for (const definition of definitions) {
    const group = groups.at(-1)
    rules += definition.rules.length
    if (group !== undefined && group.length < maxCounted && rules <= maxRulesCounted) group.push(definition)
    else {
      groups.push([definition])
      rules = definition.rules.length
    }
  }
  return groups
}

/** The port over a `SqlClient`. */
export const layer = Effect.gen(function* () {
  const sql = yield* SqlClient
  const { run } = yield* Transaction
  const segments = yield* tableOf("segments", columns)

  /**
   * Planned again each time: many definitions have the same text, and a plan made while the tables were small would
   * be kept when they have grown. For the same reason it may read a whole table, which is fastest where most
   * contacts are of one account.
   */
  const ask = <Row extends object>({ parameters, text }: Statement) =>
    run(
      Effect.andThen(
        orUnavailable(sql`set local enable_seqscan = on`),
        orUnavailable(sql.unsafe<Row>(text, parameters).unprepared)
      )
    ).pipe(Effect.catchTag("WriteConflict", (cause) => Effect.fail(new Unavailable({ cause }))))

  const countGroup = (accountId: string, definitions: ReadonlyArray<SegmentDefinition>, now: number) =>
    Effect.map(
      ask<Readonly<Record<string, number>>>(countStatement(accountId, definitions, now)),
      ([row = {}]) =>
        definitions.map((_, index): SegmentCount => ({
          count: row[`count${index}`] ?? 0,
          sendableCount: row[`sendable${index}`] ?? 0
        }))
    )

  return SegmentStore.of({
    insert: (segment) => segments.insertMany([segment]),
    list: (accountId) =>
      toSegments(segments.select(sql`from segments where account_id = ${accountId} order by created_at, id`)),
    save: (segment) =>
      Effect.asVoid(segments.update(segment, ["name", "description", "definition"], ["accountId", "id"])),
    remove: (accountId, id) =>
      toSegments(
        segments.returning(sql`delete from segments where account_id = ${accountId} and id = ${id}`)
      ).pipe(first),
    count: (accountId, definitions, now) =>
      Effect.forEach(groupsOf(definitions), (group) => countGroup(accountId, group, now), {
        concurrency: 2
      }).pipe(Effect.map((groups) => groups.flat())),
    contacts: (accountId, definition, page, now) =>
      ask<PageRow>(
        definition === null ? listStatement(accountId, page) : pageStatement(accountId, definition, page, now)
      ).pipe(Effect.map((rows) => pageOf(rows, page, contactColumns.decode)))
  })
}).pipe(Layer.effect(SegmentStore))
