/**
 * Stores submissions and deliveries in memory.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { JobQueue } from "../../core/ports/JobQueue.ts"
import {
  type DeliveryMove,
  type DeliveryRef,
  type GatedClaim,
  type ListedDelivery,
  maxOfDomain,
  SubmissionStore
} from "../../core/ports/SubmissionStore.ts"
import { canMove, heldReasons, notDueMillis } from "../../core/model/DeliveryStatus.ts"
import type { Delivery } from "../../core/model/Submission.ts"
import { contactAt, gateRefusal } from "../../core/sending/gate/GateRules.ts"
import { domainOfAddress } from "../../core/shared/EmailAddress.ts"
import { Database } from "./engine/Database.ts"
import { compareText, lowerBound } from "./engine/SortedIndex.ts"
import { AudienceTables } from "./tables/AudienceTables.ts"
import { CampaignTables } from "./tables/CampaignTables.ts"
import { ExportTables } from "./tables/ExportTables.ts"
import { SharedTables } from "./tables/SharedTables.ts"
import { type DeliveryRow, SubmissionTables } from "./tables/SubmissionTables.ts"

const isPossible = ({ from, to }: DeliveryMove): boolean => from === to || canMove(from, to)

const isHeldBefore = ({ heldSince }: Delivery, before: number | null): boolean =>
  before === null || (heldSince !== null && heldSince < before)

const refOf = ({ accountId, id }: Delivery): DeliveryRef => ({ accountId, id })

/** The port over a shared {@link Database}. The jobs of submissions are added to its `JobQueue`. */
export const layer = Effect.gen(function* () {
  const database = yield* Database
  const queue = yield* JobQueue
  const { of: audienceOf } = yield* AudienceTables
  const { suppressionsOf } = yield* ExportTables
  const { accounts } = yield* SharedTables
  const { of: tablesOf } = yield* SubmissionTables
  const { of: campaignsOf } = yield* CampaignTables

  /** Changes the existing deliveries for which `change` returns a value. Returns the changed deliveries. */
  const changeEach = <Ref extends DeliveryRef>(
    refs: ReadonlyArray<Ref>,
    change: (delivery: Delivery, ref: Ref) => Partial<Delivery> | null
  ): ReadonlyArray<Delivery> =>
    refs.flatMap((ref) => {
      const { deliveries } = tablesOf(ref.accountId)
      const row = deliveries.get(ref.id)
      const changed = row === undefined ? null : change(row.delivery, ref)
      if (row === undefined || changed === null) return []
      const delivery = Object.freeze({ ...row.delivery, ...changed })
      deliveries.replace({ ...row, delivery })
      return [delivery]
    })

  type Tables = ReturnType<typeof tablesOf>

  /** The deliveries of references, one account after another. */
  const ofRefs = <A>(
    refs: ReadonlyArray<DeliveryRef>,
    read: (rows: ReadonlyArray<DeliveryRow>, tables: Tables) => ReadonlyArray<A>
  ) =>
    database.read(() =>
      [...Map.groupBy(refs, (ref) => ref.accountId)].flatMap(([accountId, group]) => {
        const tables = tablesOf(accountId)
        return read(tables.deliveries.getMany(group.map((ref) => ref.id)), tables)
      })
    )

  const submissionsOf = (rows: ReadonlyArray<DeliveryRow>, { submissions }: Tables) =>
    submissions.getMany(rows.map(({ delivery }) => delivery.submissionId))

  /** The deliveries of an account, or of all accounts, that suspensions hold. */
  const heldOf = (accountId: string | null): ReadonlyArray<Delivery> =>
    (accountId === null ? [...accounts.rows()].map(({ id }) => id) : [accountId]).flatMap((id) =>
      heldReasons.flatMap((reason) =>
        tablesOf(id)
          .waiting.rows(reason)
          .map(({ delivery }) => delivery)
      )
    )

  /** The claims that are the latest of their deliveries and that the gate accepts. */
  const sendable = (claims: ReadonlyArray<GatedClaim>): ReadonlyArray<GatedClaim> =>
    claims.filter(({ accountId, addressHash, claim, email, id, marketing }) => {
      const delivery = tablesOf(accountId).deliveries.get(id)?.delivery
      if (delivery?.status !== "HandingOff" || delivery.claims !== claim) return false
      if ((accounts.get(accountId)?.deletedAt ?? null) !== null) return false
      const { entries } = suppressionsOf(accountId)
      const { contacts, topics } = audienceOf(accountId)
      const campaignId = marketing?.campaign?.id ?? null
      const refusal = gateRefusal({
        suppression: (entries.get(email) ?? entries.get(addressHash))?.kind,
        marketing: marketing && {
          contact: contactAt(contacts.get(marketing.contactId), email),
          topic: marketing.topicId === null ? null : topics.get(marketing.topicId)
        },
        campaign:
          campaignId === null ? null : (campaignsOf(accountId).campaigns.get(campaignId)?.status ?? "Gone")
      })
      return refusal === null
    })

  return SubmissionStore.of({
    insert: (accountId, submissions, jobs, objects) =>
      database.transaction(
        Effect.gen(function* () {
          const stored = yield* database.writeOrConflict(() =>
            submissions.map((submission) => tablesOf(accountId).insert(submission, objects))
          )
          const given = new Set(submissions.map(({ id }) => id))
          const added = new Set(stored.flatMap(({ id }) => (given.has(id) ? [id] : [])))
          const due = jobs.filter(({ submissionId }) =>
            submissionId === null ? added.size > 0 : added.has(submissionId)
          )
          yield* queue.enqueue(due.map(({ job }) => job))
          return stored
        })
      ),
    find: (accountId, ids) =>
      database.read(() => {
        const { brief, submissions } = tablesOf(accountId)
        return submissions.getMany(ids).map(brief)
      }),
    ofKeys: (accountId, keys) =>
      database.read(() => {
        const { brief, submissions } = tablesOf(accountId)
        return [...new Set(keys)].flatMap((key) => {
          const row = submissions.by("submissions_idempotency_key", key)
          return row === undefined ? [] : [brief(row)]
        })
      }),
    flowsOf: (accountId, ids) =>
      database.read(() =>
        tablesOf(accountId)
          .submissions.getMany(new Set(ids))
          .flatMap(({ flowId, id, runId }) =>
            flowId === null || runId === null ? [] : [{ id, flowId, runId }]
          )
      ),
    campaignsOf: (accountId, ids) =>
      database.read(() =>
        tablesOf(accountId)
          .submissions.getMany(new Set(ids))
          .flatMap(({ id, marketing }) => {
            const campaignId = marketing?.campaign?.id
            return campaignId === undefined ? [] : [{ id, campaignId, contactId: marketing!.contactId }]
          })
      ),
    originsOf: (accountId, ids) =>
      database.read(() =>
        tablesOf(accountId)
          .submissions.getMany(new Set(ids))
          .flatMap(({ flowId, id, marketing }) => {
            const sourceId = flowId ?? marketing?.campaign?.id ?? null
            return sourceId === null ? [] : [{ id, sourceId }]
          })
      ),
    marketingTimes: (accountId, contactIds, after, most) =>
      database.read(
        () =>
          new Map(
            [...new Set(contactIds)].flatMap((contactId) => {
              const times = tablesOf(accountId).marketingTimes(contactId, after, most)
              return times.length === 0 ? [] : [[contactId, times] as const]
            })
          )
      ),
    lastUses: (accountId, templateIds) =>
      database.read(
        () =>
          new Map(
            templateIds.flatMap((id) => {
              const at = tablesOf(accountId).lastUse(id)
              return at === undefined ? [] : [[id, at] as const]
            })
          )
      ),
    providersOf: (accountId, domains) =>
      database.read(() => {
        const rows = [...tablesOf(accountId).deliveries.rows()].toSorted((a, b) => b.createdAt - a.createdAt)
        const ofDomain = Map.groupBy(rows, ({ delivery }) => domainOfAddress(delivery.email))
        return new Map(
          domains.flatMap((domain) => {
            const latest = (ofDomain.get(domain) ?? []).slice(0, maxOfDomain)
            const provider =
              latest.find(({ delivery }) => delivery.provider !== null)?.delivery.provider ?? null
            return provider === null ? [] : [[domain, provider] as const]
          })
        )
      }),
    list: (accountId, filter, page) => database.read(() => tablesOf(accountId).page(filter, page)),
    countByDay: (accountId, days) => database.read(() => tablesOf(accountId).countByDay(days)),
    unloaded: (refs) => ofRefs(refs, (rows, tables) => submissionsOf(rows, tables).map(tables.unloaded)),
    bodies: (refs) => database.read(() => refs.flatMap((ref) => tablesOf(ref.accountId).bodies(ref.id))),
    contents: (refs) => database.read(() => refs.flatMap((ref) => tablesOf(ref.accountId).contents(ref.id))),
    move: (moves) =>
      database.write(() => {
        const wrong = moves.find((move) => !isPossible(move))
        if (wrong !== undefined) throw new Error(`A delivery cannot go from ${wrong.from} to ${wrong.to}`)
        return changeEach(
          moves,
          (
            delivery,
            { at, attempts, claim, from, held = null, isUncommitted = false, provider = null, reason, to }
          ) =>
            delivery.status !== from ||
            (claim !== null && delivery.claims !== claim) ||
            (isUncommitted && delivery.committedAt !== null)
              ? null
              : {
                  status: to,
                  reason,
                  attempts,
                  claims: delivery.claims + (to === "HandingOff" ? 1 : 0),
                  committedAt: null,
                  lane: held?.lane ?? delivery.lane,
                  line: held?.line ?? delivery.line,
                  provider: provider ?? delivery.provider,
                  heldSince: held === null ? delivery.heldSince : (delivery.heldSince ?? at),
                  notDue: notDueMillis(delivery, at),
                  updatedAt: at
                }
        )
      }),
    commit: (claims, at) =>
      database.write(() =>
        changeEach(sendable(claims), (delivery, { contentHash }) => ({
          committedAt: at,
          contentHash: contentHash ?? delivery.contentHash
        })).map(refOf)
      ),
    lockSendable: (claims) =>
      database.read(() => sendable(claims).map(({ accountId, id }) => ({ accountId, id }))),
    deliveries: (refs) => ofRefs(refs, (rows) => rows.map(({ delivery }) => delivery)),
    lockUnsent: (accountId, runIds) => database.read(() => tablesOf(accountId).unsent([...new Set(runIds)])),
    engage: (kind, refs, at) =>
      database.write(() => {
        const field = `${kind}At` as const
        return changeEach(refs, (delivery) => (delivery[field] === null ? { [field]: at } : null))
      }),
    eraseContent: (accountId, before, limit, now) =>
      database.write(() => tablesOf(accountId).eraseContent(before, limit, now).map(refOf)),
    eraseRecipients: (accountId, before, limit) =>
      database.write(() =>
        changeEach(tablesOf(accountId).recipientsBefore(before, limit).map(refOf), () => ({
          email: "",
          name: null,
          contentHash: null
        })).map(refOf)
      ),
    oldest: (accountId) => database.read(() => tablesOf(accountId).oldest()),
    erase: (accountId, emails) => database.write(() => emails.flatMap(tablesOf(accountId).erase)),
    countQueued: (accountId, most) => database.read(() => Math.min(most, tablesOf(accountId).queued.size)),
    held: (lane, accountId, lines, limit, before = null) =>
      database.read(() => {
        const groups = Map.groupBy(
          heldOf(accountId).filter((one) => one.lane === lane && isHeldBefore(one, before)),
          ({ line }) => line
        )
        return lines
          .flatMap((line) => (groups.get(line) ?? []).toSorted((a, b) => compareText(a.id, b.id)))
          .slice(0, limit)
      }),
    countHeld: (lanes, before = null) =>
      database.read(() => {
        const found = heldOf(null).filter(
          (one) => one.lane !== null && lanes.includes(one.lane) && isHeldBefore(one, before)
        )
        const groups = Map.groupBy(found, (one) =>
          JSON.stringify([one.lane, one.accountId, one.line, one.reason])
        )
        return [...groups.values()].map((group) => {
          const { accountId, lane, line, reason } = group[0]!
          const times = group.flatMap(({ heldSince }) => heldSince ?? [])
          const since = times.length === 0 ? null : Math.min(...times)
          return { lane: lane!, accountId, line, reason: reason!, count: group.length, since }
        })
      }),
    heldLanes: (most) =>
      database.read(() =>
        [...Map.groupBy(heldOf(null), ({ lane }) => lane)].flatMap(([lane, held]) => {
          if (lane === null) return []
          const counted = held.slice(0, most)
          const times = counted.flatMap(({ heldSince }) => heldSince ?? [])
          return [{ lane, count: counted.length, since: times.length === 0 ? null : Math.min(...times) }]
        })
      ),
    inStatus: (accountId, status, after, limit) =>
      database.read(() => {
        const order = (a: ListedDelivery, b: ListedDelivery) =>
          b.createdAt - a.createdAt || compareText(b.submissionId, a.submissionId)
        const found = [...tablesOf(accountId).deliveries.rows()]
          .flatMap(({ createdAt, delivery }): ReadonlyArray<ListedDelivery> => {
            const { id, reason, submissionId, updatedAt } = delivery
            return delivery.status === status ? [{ id, submissionId, reason, createdAt, updatedAt }] : []
          })
          .filter((one) => after === null || order(one, after) > 0)
          .toSorted(order)
        const last = found[limit - 1]
        return last === undefined ? found : found.filter((one) => order(one, last) <= 0)
      }),
    waiting: (accountId, reason, after, limit) =>
      database.read(() => {
        const rows = tablesOf(accountId).waiting.rows(reason)
        const found = after === null ? 0 : lowerBound(rows, (row) => (row.id <= after ? -1 : 1))
        return rows.slice(found, found + limit).map(({ delivery }) => delivery)
      })
  })
}).pipe(Layer.effect(SubmissionStore))
