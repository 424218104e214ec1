/**
 * Segments in the database, and the questions a definition is asked.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import type { Contact } from "../../core/model/Contact.ts"
import type { Segment } from "../../core/model/Segment.ts"
import type { SegmentDefinition } from "../../core/model/SegmentDefinition.ts"
import { type SegmentCount, SegmentStore } from "../../core/ports/SegmentStore.ts"
import { Transaction } from "../../core/ports/Transaction.ts"
import { Unavailable } from "../../core/shared/Problem.ts"
import { orUnavailable } from "./sql/errors.ts"
import { contacts as contactColumns } from "./contacts/columns.ts"
import { pageOf, type PageRow } from "./sql/pages.ts"
import { type Asked, countStatement, listStatement, pageStatement } from "./segments/statements.ts"

interface SegmentRow extends Omit<Segment, "createdAt"> {
  readonly createdAt: Date
}

const toSegment = (row: SegmentRow): Segment => ({
  id: row.id,
  accountId: row.accountId,
  name: row.name,
  description: row.description,
  definition: row.definition,
  builtInKey: null,
  createdAt: row.createdAt.getTime()
})

/** The most definitions one statement counts; its one pass over the contacts has to end in time. */
const maxCounted = 8
/** And the most rules they have between them. */
const maxRulesCounted = 60

/** The definitions in groups, in order, each small enough for one statement. */
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
export const layer = Layer.effect(
  SegmentStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const { run } = yield* Transaction
    const columns = sql.literal(
      `id, account_id as "accountId", name, description, definition, created_at as "createdAt"`
    )

    /**
     * Planned anew each time: few definitions make the same text, and a plan that was made while the tables were small
     * would be kept when they have grown. For the same reason it may go through a whole table, which is the fastest way
     * where most contacts are of one account.
     */
    const ask = <Row extends object>({ parameters, text }: Asked) =>
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
      insert: ({ accountId, createdAt, definition, description, id, name }) =>
        Effect.asVoid(
          orUnavailable(sql`
            insert into segments (account_id, id, name, description, definition, created_at)
            values (${accountId}, ${id}, ${name}, ${description}, ${JSON.stringify(definition)}::jsonb,
              ${new Date(createdAt)})`)
        ),
      list: (accountId) =>
        Effect.map(
          orUnavailable(
            sql<SegmentRow>`select ${columns} from segments where account_id = ${accountId} order by created_at, id`
          ),
          (rows) => rows.map(toSegment)
        ),
      save: ({ accountId, definition, description, id, name }) =>
        Effect.asVoid(
          orUnavailable(sql`
            update segments set name = ${name}, description = ${description},
              definition = ${JSON.stringify(definition)}::jsonb
            where account_id = ${accountId} and id = ${id}`)
        ),
      remove: (accountId, id) =>
        Effect.map(
          orUnavailable(
            sql<SegmentRow>`delete from segments where account_id = ${accountId} and id = ${id} returning ${columns}`
          ),
          ([row]) => (row === undefined ? null : toSegment(row))
        ),
      count: (accountId, definitions, now) =>
        Effect.map(
          Effect.forEach(groupsOf(definitions), (group) => countGroup(accountId, group, now), {
            concurrency: 2
          }),
          (groups) => groups.flat()
        ),
      contacts: (accountId, definition, page, now) =>
        Effect.map(
          ask<PageRow>(
            definition === null
              ? listStatement(accountId, page)
              : pageStatement(accountId, definition, page, now)
          ),
          (rows) => pageOf(rows, page, (row) => contactColumns.decode<Contact>(row))
        )
    })
  })
)
