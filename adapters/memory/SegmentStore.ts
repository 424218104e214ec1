/**
 * Segments in memory, and the contacts that a definition selects.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import type { Contact } from "../../core/model/Contact.ts"
import type { Segment } from "../../core/model/Segment.ts"
import type { SegmentDefinition } from "../../core/model/SegmentDefinition.ts"
import { type Predicate, predicateOf } from "../../core/audience/segments/SegmentEvaluator.ts"
import { SegmentStore } from "../../core/ports/SegmentStore.ts"
import { SuppressionStore } from "../../core/ports/SuppressionStore.ts"
import { type Audience, AudienceTables } from "./tables/AudienceTables.ts"
import { Database } from "./engine/Database.ts"
import { all, byField, newestPage, SortedIndex } from "./engine/SortedIndex.ts"
import { frozen, Table } from "./engine/Table.ts"

const picker =
  ({ happened }: Audience, predicate: Predicate) =>
  (contact: Contact): boolean =>
    predicate({ contact, timeline: happened.rows(contact.id) })

const mayGetMarketing = ({ consentStatus }: Contact): boolean =>
  consentStatus === "Subscribed" || consentStatus === "SoftOptIn"

const keyOf = (accountId: string, id: string): string => `${accountId} ${id}`

/** The port over a shared {@link Database}. */
export const layer = Effect.gen(function* () {
  const database = yield* Database
  const { of: audienceOf } = yield* AudienceTables
  const suppressions = yield* SuppressionStore
  const order = new SortedIndex<Segment>((segment) => segment.accountId, byField("createdAt"))
  const segments = new Table<Segment>(database, {
    key: (segment) => keyOf(segment.accountId, segment.id),
    indexes: [order]
  })

  /** The contacts that each definition selects. */
  const pick = (accountId: string, definitions: ReadonlyArray<SegmentDefinition>, now: number) =>
    database.read(() => {
      const audience = audienceOf(accountId)
      const contacts = audience.listed.rows(all)
      return definitions.map((definition) => contacts.filter(picker(audience, predicateOf(definition, now))))
    })

  return SegmentStore.of({
    insert: (segment) => Effect.asVoid(database.write(() => segments.insert(frozen(segment)))),
    list: (accountId) => database.read(() => [...order.rows(accountId)]),
    save: ({ accountId, definition, description, id, name }) =>
      Effect.asVoid(
        database.write(() => {
          const before = segments.get(keyOf(accountId, id))
          if (before !== undefined) segments.replace(frozen({ ...before, name, description, definition }))
        })
      ),
    remove: (accountId, id) => database.write(() => segments.remove(keyOf(accountId, id)) ?? null),
    count: Effect.fnUntraced(function* (accountId, definitions, now) {
      const picked = yield* pick(accountId, definitions, now)
      const emails = new Set<string>()
      for (const contact of picked.flat()) {
        if (contact.email !== null && mayGetMarketing(contact)) emails.add(contact.email)
      }
      const found = yield* suppressions.find([...emails].map((email) => ({ accountId, email })))
      const suppressed = new Set(found.map((entry) => entry.email))
      return picked.map((contacts) => ({
        count: contacts.length,
        sendableCount: contacts.filter(
          (contact) => mayGetMarketing(contact) && (contact.email === null || !suppressed.has(contact.email))
        ).length
      }))
    }),
    contacts: (accountId, definition, page, now) =>
      definition === null
        ? database.read(() => audienceOf(accountId).listed.page(all, page))
        : Effect.map(pick(accountId, [definition], now), ([picked = []]) => newestPage(picked, page))
  })
}).pipe(Layer.effect(SegmentStore))
