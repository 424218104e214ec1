/**
 * Keeps the conversions of contacts up to date: attributes orders to clicks whenever either changes
 * (docs/contributing/decisions.md 4).
 *
 * Each transaction that changes clicks or orders enqueues a job. The job locks the contacts and decides on everything stored
 * about them, so the last job to run leaves the same conversions in whichever order clicks and orders arrived.
 *
 * @module
 */
import { Clock, Context, Effect, Layer } from "effect"
import { ContactEvents } from "../../audience/timeline/ContactEvents.ts"
import type { DecodedJob } from "../../jobs/defineJob.ts"
import { allConversionsJob, conversionJob } from "../../jobs/definitions/ConversionJobs.ts"
import { Atomically } from "../../kernel/atomically.ts"
import { Ids } from "../../kernel/Ids.ts"
import type { Contact } from "../../model/Contact.ts"
import { type Conversion, conversionEvent } from "../../model/Conversion.ts"
import type { ContactEvent } from "../../model/Event.ts"
import { AccountStore } from "../../ports/AccountStore.ts"
import { ContactStore } from "../../ports/ContactStore.ts"
import { ConversionStore } from "../../ports/ConversionStore.ts"
import { type Job, JobQueue } from "../../ports/JobQueue.ts"
import { OrderStore } from "../../ports/OrderStore.ts"
import { TimelineStore } from "../../ports/TimelineStore.ts"
import { VisitStore } from "../../ports/VisitStore.ts"
import { formatDateTime } from "../../shared/Validate.ts"
import { attribute, changeConversions, lastConversionAt } from "./ConversionRules.ts"

const dayMillis = 86_400_000
/** The maximum number of contacts decided in one transaction. Other writers of these contacts wait for it. */
const pageSize = 200

/** The event of a conversion on its contact's timeline. */
const eventOf = (
  accountId: string,
  { campaignId, clickedAt, contactId, deliveryId, flowId, id, orderedAt, orderId }: Conversion
): ContactEvent => ({
  accountId,
  contactId,
  id,
  name: conversionEvent,
  properties: {
    orderId,
    ...(flowId !== null && { flowId }),
    ...(campaignId !== null && { campaignId }),
    messageId: deliveryId,
    clickedAt: formatDateTime(clickedAt)
  },
  occurredAt: orderedAt,
  source: "Service"
})

/** Keeps the conversions of contacts up to date. */
export class Conversions extends Context.Service<Conversions>()("svc/commerce/Conversions", {
  make: Effect.gen(function* () {
    const accounts = yield* AccountStore
    const atomically = yield* Atomically
    const contacts = yield* ContactStore
    const conversions = yield* ConversionStore
    const ids = yield* Ids
    const jobs = yield* JobQueue
    const orders = yield* OrderStore
    const timeline = yield* TimelineStore
    const visits = yield* VisitStore
    const { record } = yield* ContactEvents

    /** Decides the conversions of contacts and writes the changes, in the caller's transaction. */
    const decide = Effect.fnUntraced(function* (accountId: string, contactIds: ReadonlyArray<string>) {
      const keys = { ids: contactIds, externalIds: [], emails: [] }
      // Locked before anything is read: of two jobs, the later one reads what the earlier one wrote.
      yield* contacts.lock(accountId, keys)
      const people = (yield* contacts.find(accountId, keys)).filter(({ erasedAt }) => erasedAt === null)
      const known = people.map(({ id }) => id)
      const emails = yield* visits.readerClicks(accountId, known)
      const stored = yield* conversions.of(accountId, known)
      if (emails.length === 0 && stored.length === 0) return
      const [account] = yield* accounts.find([accountId])
      if (account === undefined) return
      const since = Math.min(...emails.flatMap(({ clicks }) => clicks))
      const placed =
        emails.length === 0
          ? []
          : yield* orders.placedBy(accountId, [...new Set(emails.map(({ contactId }) => contactId))], since)
      const attributions = attribute(placed, emails, account.settings.conversionWindowDays * dayMillis)
      const newIds = (yield* ids.many(attributions.length)).values()
      const changes = changeConversions(stored, attributions, () => newIds.next().value!)
      const { added, removed, replaced } = changes
      yield* conversions.write(accountId, removed, [...added, ...replaced])
      yield* timeline.remove(
        accountId,
        removed.map(({ id }) => id)
      )
      const storedOf = Map.groupBy(stored, ({ contactId }) => contactId)
      const attributionsOf = Map.groupBy(attributions, ({ contactId }) => contactId)
      const updates = people.flatMap((contact): ReadonlyArray<Contact> => {
        const at = lastConversionAt(
          contact.lastConversionAt,
          storedOf.get(contact.id) ?? [],
          attributionsOf.get(contact.id) ?? []
        )
        if (at === contact.lastConversionAt) return []
        return [{ ...contact, lastConversionAt: at, version: contact.version + 1 }]
      })
      yield* contacts.write(accountId, {
        inserts: [],
        updates,
        released: [],
        updatedFields: ["lastConversionAt"],
        consents: [],
        contactLimit: null
      })
      // Only a new conversion starts flows; one that moved to another click changes its timeline entry.
      yield* timeline.append(
        accountId,
        replaced.map((conversion) => eventOf(accountId, conversion))
      )
      yield* record(added.map((conversion) => eventOf(accountId, conversion)))
    })

    /** Decides a page of an account's contacts with clicks, and enqueues the next page. */
    const decidePage = Effect.fnUntraced(function* ({
      job,
      payload
    }: DecodedJob<{ readonly after: string | null }>) {
      const { accountId } = job
      const page = yield* visits.readers(accountId, payload.after, pageSize)
      if (page.length > 0) yield* decide(accountId, page)
      yield* jobs.complete([job])
      const after = page.at(-1)
      if (after === undefined || page.length < pageSize) return
      const [id, runAt] = [yield* ids.next, yield* Clock.currentTimeMillis]
      yield* jobs.enqueue([allConversionsJob.job({ id, accountId, payload: { after }, runAt })])
    })

    return {
      /** Decides the conversions of at most some hundred contacts in one transaction. Idempotent. */
      decide: Effect.fn("Conversions.decide")((accountId: string, contactIds: ReadonlyArray<string>) =>
        atomically(decide(accountId, contactIds))
      ),
      /** Handles jobs of the queue `conversions`. Idempotent. */
      handle: Effect.fn("Conversions.handle")(function* (given: ReadonlyArray<Job>) {
        const pages = yield* allConversionsJob.decode(jobs, given.filter(allConversionsJob.owns))
        for (const page of pages) yield* atomically(decidePage(page))
        const decoded = yield* conversionJob.decode(
          jobs,
          given.filter((job) => !allConversionsJob.owns(job))
        )
        for (const [accountId, group] of Map.groupBy(decoded, ({ job }) => job.accountId)) {
          const contactIds = [...new Set(group.flatMap(({ payload }) => payload.contactIds))]
          for (let from = 0; from < contactIds.length; from += pageSize) {
            yield* atomically(decide(accountId, contactIds.slice(from, from + pageSize)))
          }
          yield* jobs.complete(group.map(({ job }) => job))
        }
      })
    }
  })
}) {
  static readonly layer = Layer.effect(Conversions, Conversions.make)
}
