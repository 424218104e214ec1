/**
 * The statements that count and list the contacts of segment definitions.
 *
 * @module
 */
import type { SegmentDefinition } from "../../../core/model/SegmentDefinition.ts"
import { offsetOf, type PageRequest } from "../../../core/shared/Page.ts"
import { contacts } from "../contacts/columns.ts"
import { Compiler } from "./Compiler.ts"
import { Parameters } from "./Parameters.ts"

/** A statement's text with its parameters. */
export interface Statement {
  readonly text: string
  readonly parameters: ReadonlyArray<unknown>
}

/** Consent that allows marketing. */
const mayGetMarketing = `c.consent_status in ('Subscribed', 'SoftOptIn')`

/** The marks of an account's audience, as the port declares them; `account` is an expression. */
export const marksOf = (account: string): string =>
  `(select coalesce(string_agg(mark::text, ' ' order by process), '') from audience_changes where account_id = ${account})`

/** The row of `countStatement`. */
export interface CountRow {
  readonly marks: string
  readonly [count: string]: number | string
}

/**
 * The `marks`, and for each definition `count<index>` and `sendable<index>`, in one pass over the contacts. Suppressed contacts are
 * counted from the suppression list, which is shorter.
 */
export const countStatement = (
  accountId: string,
  definitions: ReadonlyArray<SegmentDefinition>,
  now: number
): Statement => {
  const parameters = new Parameters()
  const account = parameters.add(accountId, "uuid")
  const compiler = new Compiler(account, now, parameters)
  const conditions = definitions.map((definition) => compiler.condition(definition))
  // A single definition is a condition of the whole query, checked once for each contact and by an index where there
  // is one.
  const [only] = conditions.length === 1 ? conditions : []
  const picked = conditions.map((condition, index) => {
    const here = only === undefined ? condition : "true"
    return `
      count(*) filter (where ${here}) as all${index},
      count(*) filter (where ${mayGetMarketing} and ${here}) as allowed${index}`
  })
  const listed = conditions.map(
    (condition, index) => `count(*) filter (where ${condition}) as listed${index}`
  )
  const columns = definitions.map(
    (_, index) =>
      `all${index}::int as count${index}, (allowed${index} - listed${index})::int as sendable${index}`
  )
  return {
    text: `
      select ${[`${marksOf(account)} as marks`, ...columns].join(", ")} from (
        select ${picked.join(", ")} from contacts c ${compiler.joins}
        where c.account_id = ${account} and c.erased_at is null ${only === undefined ? "" : `and ${only}`}
      ) p cross join (
        select ${listed.join(", ")} from suppressions s cross join lateral (
          select * from contacts where account_id = ${account} and email = s.email limit 1
        ) c ${compiler.joins}
        where s.account_id = ${account} and c.erased_at is null and ${mayGetMarketing}
      ) l`,
    parameters: parameters.values
  }
}

/** A page of the contacts that a definition selects: rows of `pageOf`. The contacts are read once. */
export const pageStatement = (
  accountId: string,
  definition: SegmentDefinition,
  page: PageRequest,
  now: number
): Statement => {
  const parameters = new Parameters()
  const account = parameters.add(accountId, "uuid")
  const compiler = new Compiler(account, now, parameters)
  const condition = compiler.condition(definition)
  return {
    text: `
      with picked as materialized (
        select c.id, c.added_at from contacts c ${compiler.joins}
        where c.account_id = ${account} and c.erased_at is null and ${condition}
      )
      select t.total, p.* from (select count(*)::int as total from picked) t left join lateral (
        select ${contacts.selected("c")} from (
          select id from picked order by added_at desc, id desc
          limit ${parameters.add(page.pageSize, "bigint")} offset ${parameters.add(offsetOf(page), "bigint")}
        ) k cross join lateral (
          select * from contacts where account_id = ${account} and id = k.id limit 1
        ) c
      ) p on true order by p."addedAt" desc, p.id desc`,
    parameters: parameters.values
  }
}

/**
 * A page of all contacts: rows of `pageOf`. The rows before the page are skipped in the index; only the page's rows
 * are read.
 */
export const listStatement = (accountId: string, page: PageRequest): Statement => ({
  text: `
    select t.total, p.* from (
      select coalesce((select contacts from contact_counts where account_id = $1::uuid), 0)::int as total
    ) t left join lateral (
      select ${contacts.selected("c")} from (
        select id from contacts where account_id = $1::uuid and erased_at is null
        order by added_at desc, id desc limit $2::bigint offset $3::bigint
      ) k cross join lateral (
        select * from contacts where account_id = $1::uuid and id = k.id limit 1
      ) c
    ) p on true order by p."addedAt" desc, p.id desc`,
  parameters: [accountId, page.pageSize, offsetOf(page)]
})
