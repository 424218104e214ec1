/**
 * Stores segments in memory, and finds the contacts that a definition selects.
 *
 * @module
 */
import { createHash } from "node:crypto"
import { Effect, Layer } from "effect"
import { recipientOf } from "../../core/campaigns/AudienceRules.ts"
import { partOfRecipient } from "../../core/campaigns/CampaignRules.ts"
import type { Contact } from "../../core/model/Contact.ts"
import type { Segment, SegmentSize } from "../../core/model/Segment.ts"
import type { SegmentDefinition } from "../../core/model/SegmentDefinition.ts"
import { dayMillis } from "../../core/audience/segments/DayRange.ts"
import { lastActivityOf, passes } from "../../core/audience/segments/ContactFilters.ts"
import {
  type CampaignEmail,
  type Predicate,
  predicateOf
} from "../../core/audience/segments/SegmentEvaluator.ts"
import {
  type CompletedField,
  maxCompleted,
  maxLooked,
  maxZoneGroups,
  type ReachGroup,
  SegmentStore,
  type SelectedPeople,
  type ZoneGroup
} from "../../core/ports/SegmentStore.ts"
import { comparePlaces, pageOfAll, placeBy } from "../../core/shared/Page.ts"
import { AudienceTables } from "./tables/AudienceTables.ts"
import { CampaignTables, recipientKey } from "./tables/CampaignTables.ts"
import { ConversionTables } from "./tables/ConversionTables.ts"
import { ExportTables } from "./tables/ExportTables.ts"
import { SharedTables } from "./tables/SharedTables.ts"
import { SubmissionTables } from "./tables/SubmissionTables.ts"
import { keyOf as visitKey, VisitTables } from "./tables/VisitTables.ts"
import { Database } from "./engine/Database.ts"
import { all, byField, compareText, SortedIndex } from "./engine/SortedIndex.ts"
import { frozen, Table } from "./engine/Table.ts"

const mayGetMarketing = ({ consentStatus }: Contact): boolean =>
  consentStatus === "Subscribed" || consentStatus === "SoftOptIn"

const sha256Hex = (text: string): string => createHash("sha256").update(text).digest("hex")

/** The values of a contact's field. */
const valuesOf = (
  { attributes, city, countryCode, language, tags }: Contact,
  field: Exclude<CompletedField, { readonly _tag: "Events" }>
): ReadonlyArray<unknown> => {
  switch (field._tag) {
    case "Column":
      return [{ city, countryCode, language }[field.column]]
    case "Tags":
      return tags ?? []
    case "Attribute": {
      const value = attributes[field.key]
      return field.isList ? (Array.isArray(value) ? value : []) : [value]
    }
  }
}

/** The distinct strings, with the most frequent first. */
const byFrequency = (values: ReadonlyArray<unknown>): ReadonlyArray<string> => {
  const counts = new Map<string, number>()
  for (const value of values) {
    if (typeof value === "string" && value !== "") counts.set(value, (counts.get(value) ?? 0) + 1)
  }
  return [...counts]
    .sort(([a, many], [b, more]) => more - many || (a < b ? -1 : 1))
    .slice(0, maxCompleted)
    .map(([value]) => value)
}

/** A contact that is in the segment of a flow. */
interface Member {
  readonly accountId: string
  readonly flowId: string
  readonly contactId: string
}

const memberKey = ({ accountId, contactId, flowId }: Member): string => `${accountId}/${flowId}/${contactId}`

const sizeKey = ({ accountId, day, segmentId }: SegmentSize): string => `${accountId}/${segmentId}/${day}`

const keyOf = (accountId: string, id: string): string => `${accountId} ${id}`

/** The port over a shared {@link Database}. */
export const layer = Effect.gen(function* () {
  const database = yield* Database
  const { of: audienceOf } = yield* AudienceTables
  const { of: campaignsOf } = yield* CampaignTables
  const { of: conversionsOf } = yield* ConversionTables
  const { accounts } = yield* SharedTables
  const { of: submissionsOf } = yield* SubmissionTables
  const { table: visitsOf } = yield* VisitTables
  const { suppressionsOf } = yield* ExportTables
  const order = new SortedIndex<Segment>((segment) => segment.accountId, byField("createdAt"))
  /** How often the segments of each account have changed. */
  const edits = new Map<string, number>()
  const edited = ({ accountId }: Segment): void => {
    edits.set(accountId, (edits.get(accountId) ?? 0) + 1)
  }
  const segments = new Table<Segment>(database, {
    key: (segment) => keyOf(segment.accountId, segment.id),
    indexes: [order, { add: edited, remove: edited }]
  })

  const sizeOrder = new SortedIndex<SegmentSize>(
    ({ accountId }) => accountId,
    (one, other) => one.day - other.day || compareText(one.segmentId, other.segmentId)
  )
  const sizes = new Table<SegmentSize>(database, { key: sizeKey, indexes: [sizeOrder] })

  const ofFlow = new SortedIndex<Member>(
    ({ accountId, flowId }) => `${accountId}/${flowId}`,
    (one, other) => compareText(one.contactId, other.contactId)
  )
  const ofMember = new SortedIndex<Member>(
    ({ accountId, contactId }) => `${accountId}/${contactId}`,
    (one, other) => compareText(one.flowId, other.flowId)
  )
  const members = new Table<Member>(database, { key: memberKey, indexes: [ofFlow, ofMember] })

  const emailsOf = (accountId: string, contactId: string) =>
    campaignsOf(accountId)
      .ofContact.rows(contactId)
      .flatMap(({ campaignId, decidedAt, deliveryId }): ReadonlyArray<CampaignEmail> => {
        const row = submissionsOf(accountId).deliveries.get(deliveryId ?? "")
        if (row === undefined || decidedAt === null) return []
        const visits = visitsOf.get(visitKey({ accountId, id: row.id }))
        return [
          {
            campaignId,
            submittedAt: decidedAt,
            status: row.delivery.status,
            isOpened: (visits?.readerOpenedAt ?? null) !== null,
            isClicked: (visits?.readerClickedAt ?? null) !== null
          }
        ]
      })

  /** Makes the test of a contact. Data for rules about campaigns is looked up only when such a rule is tested. */
  const picker = (accountId: string, predicate: Predicate) => {
    const { happened } = audienceOf(accountId)
    return (contact: Contact): boolean =>
      predicate({
        contact,
        timeline: happened.rows(contact.id),
        get campaignEmails() {
          return emailsOf(accountId, contact.id)
        },
        get convertedBy() {
          const { ofContact } = conversionsOf(accountId)
          return ofContact.rows(contact.id).flatMap(({ campaignId }) => campaignId ?? [])
        }
      })
  }

  const pick = (accountId: string, definition: SegmentDefinition, now: number) =>
    audienceOf(accountId)
      .listed.rows(all)
      .filter(picker(accountId, predicateOf(definition, now)))

  const selector = (accountId: string, { exclude, include }: SelectedPeople, now: number) => {
    const [any, none] = [include, exclude].map((definitions) =>
      definitions.map((definition) => picker(accountId, predicateOf(definition, now)))
    )
    return (contact: Contact) =>
      any!.some((picks) => picks(contact)) && !none!.some((picks) => picks(contact))
  }

  const select = (accountId: string, chosen: SelectedPeople, now: number) =>
    audienceOf(accountId)
      .listed.rows(all)
      .filter(selector(accountId, chosen, now))

  const marksOf = (accountId: string): string =>
    `${audienceOf(accountId).changes.count} ${suppressionsOf(accountId).changes.count} ${edits.get(accountId) ?? 0}`

  return SegmentStore.of({
    insert: (segment) => Effect.asVoid(database.write(() => segments.insert(frozen(segment)))),
    list: (accountId) => database.read(() => [...order.rows(accountId)]),
    save: ({ accountId, definition, description, id, name, updatedAt, updatedBy }) =>
      Effect.asVoid(
        database.write(() => {
          const before = segments.get(keyOf(accountId, id))
          if (before !== undefined)
            segments.replace(frozen({ ...before, name, description, definition, updatedAt, updatedBy }))
        })
      ),
    remove: (accountId, id) =>
      database.write(() => {
        const own = sizeOrder.rows(accountId).filter(({ segmentId }) => segmentId === id)
        sizes.removeMany(own.map(sizeKey))
        return segments.remove(keyOf(accountId, id)) ?? null
      }),
    saveSizes: (given) =>
      database.write(() => {
        for (const size of given) {
          if (sizes.get(sizeKey(size)) === undefined) sizes.insert(frozen(size))
          else sizes.replace(frozen(size))
        }
      }),
    sizes: (accountId, segmentId, since) =>
      database.read(() =>
        sizeOrder
          .rows(accountId)
          .filter((size) => size.day >= since && (segmentId === null || size.segmentId === segmentId))
      ),
    unsized: (day, after, limit) =>
      database.read(() =>
        [...accounts.rows()]
          .filter(
            ({ deletedAt, id }) =>
              deletedAt === null &&
              (after === null || id > after) &&
              audienceOf(id).listed.rows(all).length > 0 &&
              !sizeOrder.rows(id).some((size) => size.day === day)
          )
          .map(({ id }) => id)
          .toSorted(compareText)
          .slice(0, limit)
      ),
    pruneSizes: (before, limit) => database.write(() => sizes.removeWhere(({ day }) => day < before, limit)),
    marks: (accountId) => database.read(() => marksOf(accountId)),
    setMembers: (accountId, flowId, definition, now) =>
      database.write(() => {
        members.removeMany(ofFlow.rows(`${accountId}/${flowId}`).map(memberKey))
        const picked = definition === null ? [] : pick(accountId, definition, now)
        for (const { id } of picked) members.insert(frozen({ accountId, flowId, contactId: id }))
      }),
    memberChanges: (accountId, flowId, definition, limit, now) =>
      database.read(() => {
        const picked = new Set(pick(accountId, definition, now).map(({ id }) => id))
        const known = new Set(ofFlow.rows(`${accountId}/${flowId}`).map(({ contactId }) => contactId))
        const missing = (these: ReadonlySet<string>, those: ReadonlySet<string>) =>
          [...these]
            .filter((id) => !those.has(id))
            .toSorted(compareText)
            .slice(0, limit)
        return { entered: missing(picked, known), left: missing(known, picked) }
      }),
    moveMembers: (accountId, flowId, { entered, left }) =>
      database.write(() => {
        const isMember = (contactId: string) =>
          members.get(memberKey({ accountId, flowId, contactId })) !== undefined
        const added = [...new Set(entered)].filter((contactId) => !isMember(contactId))
        for (const contactId of added) members.insert(frozen({ accountId, flowId, contactId }))
        const removed = [...new Set(left)].filter(isMember)
        members.removeMany(removed.map((contactId) => memberKey({ accountId, flowId, contactId })))
        return { entered: added, left: removed }
      }),
    eraseMembers: (accountId, contactIds) =>
      database.write(() =>
        members.removeMany(contactIds.flatMap((id) => ofMember.rows(`${accountId}/${id}`)).map(memberKey))
      ),
    count: (accountId, definitions, now) =>
      database.read(() => {
        const { entries } = suppressionsOf(accountId)
        const maySend = (contact: Contact) =>
          mayGetMarketing(contact) && (contact.email === null || entries.get(contact.email) === undefined)
        return {
          marks: marksOf(accountId),
          counts: definitions.map((definition) => {
            const picked = pick(accountId, definition, now)
            return { count: picked.length, sendableCount: picked.filter(maySend).length }
          })
        }
      }),
    zones: (accountId, chosen, attribute, now) =>
      database.read(() => {
        const groups = new Map<string, ZoneGroup>()
        for (const { attributes, countryCode } of select(accountId, chosen, now)) {
          const value = attribute === null ? undefined : attributes[attribute]
          const own = typeof value === "string" ? value : null
          const key = JSON.stringify([own, countryCode])
          groups.set(key, { own, countryCode, count: (groups.get(key)?.count ?? 0) + 1 })
        }
        return [...groups.values()].sort((a, b) => b.count - a.count).slice(0, maxZoneGroups)
      }),
    capped: (accountId, chosen, caps, now) =>
      database.read(
        () =>
          select(accountId, chosen, now).filter(
            (contact) =>
              mayGetMarketing(contact) &&
              caps.some(
                ({ days, emails }) =>
                  submissionsOf(accountId).marketingTimes(contact.id, now - days * dayMillis, emails)
                    .length >= emails
              )
          ).length
      ),
    reach: (accountId, chosen, topic, now) =>
      database.read(() => {
        const { entries } = suppressionsOf(accountId)
        const groups = new Map<string, ReachGroup>()
        for (const { consentStatus, email, topics } of select(accountId, chosen, now)) {
          const suppression = email === null ? null : (entries.get(email)?.kind ?? null)
          const hasTopic = topic === null || (topics[topic.id] ?? topic.defaultOn)
          const hasAddress = email !== null
          const key = `${consentStatus} ${hasAddress} ${suppression} ${hasTopic}`
          const count = (groups.get(key)?.count ?? 0) + 1
          groups.set(key, { consentStatus, hasAddress, suppression, hasTopic, count })
        }
        return [...groups.values()]
      }),
    addRecipients: (accountId, { after, asOf, chosen, plan, size }) =>
      database.write(() => {
        const { recipients } = campaignsOf(accountId)
        const part = audienceOf(accountId)
          .listed.rows(all)
          .filter(({ id }) => after === null || id > after)
          .toSorted((one, other) => compareText(one.id, other.id))
          .slice(0, size)
        const isSelected = selector(accountId, chosen, asOf)
        for (const contact of part) {
          if (contact.addedAt > asOf || !isSelected(contact)) continue
          if (recipients.get(recipientKey(plan.campaignId, contact.id)) !== undefined) continue
          recipients.insert({
            ...recipientOf(accountId, plan, contact, asOf, sha256Hex),
            part: partOfRecipient(sha256Hex, plan.campaignId, contact.id),
            addressHash: null,
            country: null
          })
        }
        return part.length < size ? null : part.at(-1)!.id
      }),
    values: (accountId, field) =>
      database.read(() => {
        const { listed, timeline } = audienceOf(accountId)
        if (field._tag === "Events") {
          const newest = [...timeline.rows()].toSorted((a, b) => (a.id < b.id ? 1 : -1)).slice(0, maxLooked)
          return byFrequency(newest.map(({ name }) => name))
        }
        const newest = listed.rows(all).slice(-maxLooked)
        return byFrequency(newest.flatMap((contact) => valuesOf(contact, field)))
      }),
    find: (accountId, filter, page, now) =>
      database.read(() => {
        const audience = audienceOf(accountId)
        const { entries } = suppressionsOf(accountId)
        const { segment = null, suppressed = null } = filter
        const pickerOf = (definition: SegmentDefinition) => picker(accountId, predicateOf(definition, now))
        const pickers = segment?.map(pickerOf) ?? null
        const outside = (filter.outside ?? []).map(pickerOf)
        const isSuppressed = ({ email }: Contact) => email !== null && entries.get(email) !== undefined
        const found = audience.listed
          .rows(all)
          .filter(
            (contact) =>
              passes(filter, contact) &&
              (suppressed === null || isSuppressed(contact) === suppressed) &&
              (pickers === null || pickers.some((picks) => picks(contact))) &&
              !outside.some((picks) => picks(contact))
          )
        if (page.sort?.by !== "lastActivity") return pageOfAll(found, page, placeBy("addedAt"))
        const placeOf = (contact: Contact) => [lastActivityOf(contact), contact.id]
        return pageOfAll(
          found.toSorted((a, b) => comparePlaces(placeOf(a), placeOf(b))),
          page,
          placeOf
        )
      }),
    contacts: (accountId, definition, page, now) =>
      database.read(() => {
        const audience = audienceOf(accountId)
        const found =
          definition === null
            ? audience.listed.page(all, page, placeBy("addedAt"))
            : pageOfAll(pick(accountId, definition, now), page, placeBy("addedAt"))
        return { ...found, marks: marksOf(accountId) }
      }),
    shown: (accountId, ids) =>
      database.read(() => {
        const { contacts } = audienceOf(accountId)
        const found = ids.map((id) => contacts.get(id)).filter((contact) => contact !== undefined)
        return { marks: marksOf(accountId), contacts: found.filter(({ erasedAt }) => erasedAt === null) }
      })
  })
}).pipe(Layer.effect(SegmentStore))
