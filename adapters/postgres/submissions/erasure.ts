/**
 * Erases content and recipients of submissions and deliveries: those of a person, and those past their retention. Rows are
 * found by their `ctid`, whose speed does not depend on statistics.
 *
 * @module
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import type { DeliveryRef } from "../../../core/ports/SubmissionStore.ts"
import { pendingStatuses } from "../../../core/model/DeliveryStatus.ts"
import { orUnavailable } from "../sql/errors.ts"
import { countOf, execute, idsOf } from "../sql/results.ts"
import { foldChanges } from "./counts.ts"

/** `erase`, `eraseContent`, `eraseRecipients` and `oldest`. */
export const makeSubmissionErasure = Effect.gen(function* () {
  const sql = yield* SqlClient
  /**
   * The part of a statement that ends the use of content by the submissions in the rows `ended(submission_id, bodies_hash)`,
   * and marks the content. Whether another use remains is checked when the content is removed, because a use that ends at
   * the same time is not visible here. Content that is already marked is marked again, because a removal that is deciding
   * at the same time deletes the earlier mark.
   */
  const released = (accountId: string, ended: string) => sql`released as materialized (
      select e.submission_id, h.hash from ${sql.literal(ended)} e cross join lateral (
        select e.bodies_hash as hash union
        select hash from attachments where account_id = ${accountId} and submission_id = e.submission_id
      ) h where h.hash is not null
    ), unused as (
      delete from contents_uses where ctid = any(array(
        select u.place from released r cross join lateral (
          select ctid as place from contents_uses
          where account_id = ${accountId} and hash = r.hash and submission_id = r.submission_id limit 1
        ) u
      ))
    ), marked as (
      update contents set remove_after = '-infinity'
      where account_id = ${accountId} and hash = any(array(select distinct hash from released))
    )`

  const isPending = sql.literal(`status in (${pendingStatuses.map((status) => `'${status}'`).join(", ")})`)

  /**
   * Removes deliveries from the counters immediately, so that neither the counters nor pending changes to them contain a
   * domain or a tag that only this person has.
   */
  const uncount = Effect.fnUntraced(function* (accountId: string, theirs: Fragment) {
    const written = yield* countOf(sql`
      select svc_uncount(${accountId}::uuid, array(select d.id from ${theirs})) as count`)
    if (written === 0) return
    const places = sql`select ctid from email_count_changes where account_id = ${accountId} for update`
    yield* execute(foldChanges(sql, places))
    yield* execute(sql`delete from email_counts where account_id = ${accountId} and amount = 0`)
  })

  /**
   * Submissions are locked before their deliveries are deleted. So if two recipients are erased at the same time, the later
   * erasure sees that the earlier delivery is gone. Deliveries are locked too, so that none moves from its `ctid` before it
   * is deleted. Both are locked by id, the order that all statements over many rows use. The order of an address's
   * deliveries makes each a look-up by its index.
   */
  const erase = Effect.fnUntraced(function* (accountId: string, emails: ReadonlyArray<string>) {
    if (emails.length === 0) return []
    const theirs = sql`
      (select distinct unnest(${emails}::text[]) as address) a cross join lateral (
        select ctid as place, id, submission_id from deliveries where account_id = ${accountId} and email = address
        order by created_at desc, submission_id desc
      ) d`
    yield* execute(sql`
      select from (select distinct d.submission_id from ${theirs} order by d.submission_id) k cross join lateral (
        select from submissions where account_id = ${accountId} and id = k.submission_id limit 1 for update
      ) s`)
    yield* execute(sql`
      select from (select d.id from ${theirs} order by d.id) k cross join lateral (
        select from deliveries where account_id = ${accountId} and id = k.id limit 1 for update
      ) d`)
    yield* uncount(accountId, theirs)
    return yield* idsOf(sql`
      with gone as (
        delete from deliveries where ctid = any(array(select d.place from ${theirs})) returning id, submission_id
      ), empty as materialized (
        select s.place, k.submission_id, s.bodies_hash from (
          select distinct submission_id from gone
        ) k cross join lateral (
          select ctid as place, bodies_hash from submissions
          where account_id = ${accountId} and id = k.submission_id limit 1
        ) s
        where not exists (
          select from deliveries d
          where d.account_id = ${accountId} and d.submission_id = k.submission_id
            and d.email <> all(${emails}::text[])
        )
      ), ${released(accountId, "empty")}, emptied as (
        delete from submissions where ctid = any(array(select place from empty))
      ), detached as (
        delete from attachments where ctid = any(array(
          select a.place from empty cross join lateral (
            select ctid as place from attachments
            where account_id = ${accountId} and submission_id = empty.submission_id offset 0
          ) a
        ))
      )
      select id from gone`)
  })

  /**
   * Pending deliveries are found first, by their states, because reading the deliveries of each submission would take long.
   * The order of deliveries is that of the only index that finds those of a submission, so that no plan uses another.
   */
  const eraseContent = (accountId: string, before: number, limit: number, now: number) =>
    orUnavailable(sql<DeliveryRef>`
      with pending as materialized (
        select submission_id from deliveries
        where account_id = ${accountId} and ${isPending} and created_at < ${new Date(before)}
      ), due as materialized (
        select id as submission_id, ctid as place, bodies_hash from submissions
        where account_id = ${accountId} and content_erased_at is null and created_at < ${new Date(before)}
          and id not in (select submission_id from pending)
        order by created_at limit ${limit} for no key update
      ), ${released(accountId, "due")}, erased as (
        update submissions set subject = '', html = null, text = null, bodies_hash = null, html_bytes = null,
          text_bytes = null, headers = '[]', tags = '{}', metadata = '{}',
          content_erased_at = ${new Date(now)}
        where ctid = any(array(select place from due)) returning id
      ), detached as (
        delete from attachments where ctid = any(array(
          select a.place from due cross join lateral (
            select ctid as place from attachments
            where account_id = ${accountId} and submission_id = due.submission_id offset 0
          ) a
        ))
      )
      select d.account_id as "accountId", d.id from erased cross join lateral (
        select account_id, id from deliveries
        where account_id = ${accountId} and submission_id = erased.id order by position
      ) d`)

  const eraseRecipients = (accountId: string, before: number, limit: number) =>
    orUnavailable(sql<DeliveryRef>`
      with due as materialized (
        select ctid as place from deliveries
        where account_id = ${accountId} and email <> '' and created_at < ${new Date(before)} and not (${isPending})
        order by created_at limit ${limit} for no key update
      )
      update deliveries set email = '', name = null, content_hash = null where ctid = any(array(select place from due))
      returning account_id as "accountId", id`)

  const oldest = (accountId: string) =>
    orUnavailable(sql<{ readonly content: Date | null; readonly recipients: Date | null }>`
      select (
        select created_at from submissions where account_id = ${accountId} and content_erased_at is null
        order by created_at limit 1
      ) as content, (
        select created_at from deliveries where account_id = ${accountId} and email <> ''
        order by created_at limit 1
      ) as recipients`).pipe(
      Effect.map(([row]) => ({
        content: row?.content?.getTime() ?? null,
        recipients: row?.recipients?.getTime() ?? null
      }))
    )

  return { erase, eraseContent, eraseRecipients, oldest }
})
