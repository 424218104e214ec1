/**
 * Tests that the counts of campaign reports, which triggers maintain in the database, equal those that memory counts from the
 * rows: after random changes of emails and their visits, in any order, rolled back, retried, erased and aggregated in between.
 *
 * @module
 */
import { layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { expect } from "vitest"
import * as Memory from "../../../adapters/memory/index.ts"
import { layerEmbedded } from "../../../adapters/postgres/index.ts"
import { breakdowns, CampaignStore } from "../../../core/ports/CampaignStore.ts"
import { ContactStore } from "../../../core/ports/ContactStore.ts"
import { SegmentStore } from "../../../core/ports/SegmentStore.ts"
import { SubmissionStore } from "../../../core/ports/SubmissionStore.ts"
import { Transaction } from "../../../core/ports/Transaction.ts"
import { VisitStore } from "../../../core/ports/VisitStore.ts"
import type { LinkClicks } from "../../../core/model/Visit.ts"
import { addRecipients, draftCampaign, draftRecipient } from "../../contract/CampaignStore.ts"
import { draftSubmission } from "../../contract/drafts.ts"
import {
  changes,
  draftContact,
  freshAccountId,
  makeRandom,
  newHash,
  newId,
  now,
  times
} from "../../contract/fixtures.ts"
import { draftVisits } from "../../contract/VisitStore.ts"

type Stores = CampaignStore | ContactStore | SegmentStore | SubmissionStore | Transaction | VisitStore

class InMemory extends Context.Service<InMemory, Context.Context<Stores>>()("test/InMemory") {}

const memory = Layer.effect(InMemory, Effect.context<Stores>()).pipe(Layer.provide(Memory.layer))

const people = 30
const steps = 150

layer(Layer.merge(layerEmbedded(null), memory), { excludeTestServices: true })(
  "the reports of a campaign",
  (it) => {
    it.effect("are those of a recount, whatever happened to its emails and in which order", () =>
      Effect.gen(function* () {
        const inMemory = yield* InMemory
        const seed = Math.floor(Math.random() * 2 ** 31)
        const random = makeRandom(seed)
        const { pick } = random
        const accountId = yield* freshAccountId
        const campaign = draftCampaign(accountId)
        const { id } = campaign
        const contacts = times(people, (index) =>
          draftContact({
            email: `p${index}.${newId()}@${pick(["one.example", "two.example"])}`,
            countryCode: pick(["AT", "DE", null])
          })
        )
        /** Runs the same effect on the database and in memory. */
        const both = <A, E>(effect: Effect.Effect<A, E, Stores>) =>
          Effect.andThen(effect, Effect.provide(effect, inMemory))
        yield* both(
          Effect.gen(function* () {
            yield* (yield* ContactStore).write(accountId, changes({ inserts: contacts }))
            yield* (yield* CampaignStore).insert(campaign)
            yield* addRecipients(
              contacts.map((contact) => draftRecipient(campaign, { contactId: contact.id }))
            )
          })
        )
        const emails = new Map<number, string>()
        const erased = new Set<number>()

        const submit = (index: number) => {
          const { email, id: contactId } = contacts[index]!
          const [version, variant] = [pick([1, 2]), pick(["a", "b"] as const)]
          const marketing = { contactId, topicId: null, campaign: { id, version, variant } }
          const createdAt = now + random.below(3) * 3_600_000 * 13
          const mail = draftSubmission(
            accountId,
            { marketing, createdAt, language: pick(["de", "en", null]) },
            { email: email! }
          )
          const deliveryId = mail.deliveries[0]!.id
          const decision = {
            contactId,
            variant,
            version,
            deliveryId,
            dueAt: now,
            state: "Submitted" as const,
            reason: null,
            addressHash: newHash(),
            renderError: null,
            heldSince: null
          }
          emails.set(index, deliveryId)
          return Effect.gen(function* () {
            yield* (yield* SubmissionStore).insert(accountId, [mail], [])
            yield* (yield* CampaignStore).decide(accountId, id, [decision], now)
          })
        }
        const move = (index: number) => {
          const to = random.pick(["Queued", "Delivered", "Bounced", "Failed", "Sent"] as const)
          const [attempts, provider] = [random.below(2), random.pick(["google", "microsoft", undefined])]
          const given = {
            accountId,
            id: emails.get(index)!,
            attempts,
            claim: null,
            at: now,
            ...(provider !== undefined && { provider })
          }
          const reason = to === "Failed" ? ("sending.retries_exhausted" as const) : null
          return Effect.gen(function* () {
            const store = yield* SubmissionStore
            const ended = yield* store.move([{ ...given, from: "HandingOff", to, reason }])
            if (ended.length > 0) return
            yield* store.move([{ ...given, from: "Queued", to: "HandingOff", reason: null }])
          })
        }
        const visit = (index: number) => {
          const counts = () => ({
            Human: random.below(2),
            Machine: random.below(2),
            Unknown: random.below(2)
          })
          const links = Object.fromEntries(
            ["x", "y"].flatMap((link): ReadonlyArray<[string, LinkClicks]> => {
              const at = now + random.below(99)
              const clicks = { ...counts(), Machine: 1 }
              return random.below(2) === 0 ? [] : [[link, { clicks, firstAt: at, lastAt: at + 1 }]]
            })
          )
          const at = () => pick([null, now])
          const visits = draftVisits(accountId, emails.get(index)!, {
            campaignId: id,
            contactId: contacts[index]!.id,
            links,
            opens: counts(),
            clicks: counts(),
            firstOpenedAt: at(),
            firstClickedAt: at(),
            readerOpenedAt: at(),
            readerClickedAt: at()
          })
          return Effect.flatMap(VisitStore, (store) =>
            Effect.andThen(store.lock([{ accountId, id: visits.deliveryId }]), store.put([visits]))
          )
        }
        const erase = (index: number, isVisitFirst: boolean) => {
          const ref = { accountId, id: emails.get(index)! }
          erased.add(index)
          return Effect.gen(function* () {
            const visits = yield* VisitStore
            if (isVisitFirst) yield* visits.erase([ref])
            yield* (yield* SubmissionStore).erase(accountId, [contacts[index]!.email!])
            yield* visits.erase([ref])
            yield* (yield* CampaignStore).erase(accountId, [contacts[index]!.id])
          })
        }
        const retry = Effect.flatMap(CampaignStore, (store) =>
          store.retry(
            accountId,
            id,
            { isUnrendered: false, reasons: ["sending.retries_exhausted"] },
            null,
            2,
            now
          )
        )
        const reports = Effect.gen(function* () {
          const store = yield* CampaignStore
          return {
            tallies: yield* Effect.forEach(breakdowns, (by) => store.breakdown(accountId, id, by, 99)),
            links: (yield* store.linkClicks(accountId, id, 99)).map(
              ({ firstAt: _first, lastAt: _last, ...one }) => one
            )
          }
        })

        for (let step = 0; step < steps; step++) {
          const index = random.below(people)
          if (erased.has(index)) continue
          if (!emails.has(index)) {
            yield* both(submit(index))
            continue
          }
          const kind = random.below(20)
          if (kind < 8) yield* both(move(index))
          else if (kind < 15) yield* both(visit(index))
          else if (kind === 15) {
            const [what, refs] = [
              pick(["complained", "unsubscribed"] as const),
              [{ accountId, id: emails.get(index)! }]
            ]
            yield* both(Effect.flatMap(SubmissionStore, (store) => store.engage(what, refs, now)))
          } else if (kind === 16) yield* both(erase(index, random.below(2) === 0))
          else if (kind === 17) {
            yield* both(retry)
            const store = yield* CampaignStore
            for (const [each] of emails) {
              const recipient = yield* store.recipient(accountId, id, contacts[each]!.id)
              if (recipient?.state === "Pending") emails.delete(each)
            }
          } else if (kind === 18)
            yield* both(Effect.flatMap(CampaignStore, (store) => store.compact(accountId, id)))
          else {
            const { run } = yield* Transaction
            yield* Effect.exit(run(Effect.andThen(visit(index), Effect.fail("undone"))))
          }
          expect({ seed, step, ...(yield* reports) }).toEqual({
            seed,
            step,
            ...(yield* Effect.provide(reports, inMemory))
          })
        }
      })
    )
  }
)
