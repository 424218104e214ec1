/**
 * The use cases of segments, and the list of contacts.
 *
 * @module
 */
import { Clock, Context, Effect, Layer } from "effect"
import type { Actor } from "../../model/Actor.ts"
import { editedBy } from "../../model/Edited.ts"
import { AuditTrail } from "../../accounts/AuditTrail.ts"
import { activeStatuses, type CampaignUse, maxOpenCampaigns, usesOf } from "../../model/Campaign.ts"
import { AccountStore } from "../../ports/AccountStore.ts"
import { CampaignStore } from "../../ports/CampaignStore.ts"
import { ContactFieldStore } from "../../ports/ContactFieldStore.ts"
import { FlowStore, type FlowUse } from "../../ports/FlowStore.ts"
import { Crypto } from "../../ports/Crypto.ts"
import { JobQueue } from "../../ports/JobQueue.ts"
import { consentStatuses } from "../../model/Consent.ts"
import {
  type AudiencePart,
  type CompletedField,
  type ContactFilter,
  maxFiltered,
  type ReachGroup,
  type SegmentCount,
  SegmentStore,
  type TopicTest,
  type ZoneGroup
} from "../../ports/SegmentStore.ts"
import { TopicStore } from "../../ports/TopicStore.ts"
import { segmentSizesJob } from "../../jobs/definitions/SegmentJobs.ts"
import { builtOnce } from "../../kernel/builtOnce.ts"
import { Atomically } from "../../kernel/atomically.ts"
import { Ids } from "../../kernel/Ids.ts"
import { expectUnedited } from "../../kernel/Precondition.ts"
import { deepEqual, type Json } from "../../shared/Json.ts"
import { type Among, type Page, pageOfAll, type PageRequest } from "../../shared/Page.ts"
import { Issues, Problem, type Unavailable } from "../../shared/Problem.ts"
import { searchedText } from "../../shared/EmailAddress.ts"
import { checkText, foldCase, type Maybe } from "../../shared/Validate.ts"
import { builtInSegments } from "./BuiltInSegments.ts"
import { type CountedSegment, KeptLists } from "./KeptLists.ts"
import { SegmentCounting } from "./SegmentCounting.ts"
import type { FrequencyCap } from "../../model/Account.ts"
import type { Contact } from "../../model/Contact.ts"
import { maxSegments, type Segment } from "../../model/Segment.ts"
import type { SegmentDefinition, SegmentField } from "../../model/SegmentDefinition.ts"
import type { Topic } from "../../model/Topic.ts"
import {
  type DefinitionWrite,
  type FieldChoice,
  fieldChoices,
  fieldOf,
  maxSegmentDescription,
  maxSegmentName,
  parseDefinition,
  type SegmentScope
} from "./SegmentRules.ts"

/** A submitted segment. In a change, absent values stay unchanged. */
export interface SegmentWrite {
  readonly name: string
  /** An empty string or null clears it. */
  readonly description?: Maybe<string>
  readonly definition: DefinitionWrite
}

/** The campaigns and flows that use a segment. */
export interface SegmentUsage {
  /** The campaigns that have not ended. */
  readonly campaigns: ReadonlyArray<CampaignUse>
  readonly flows: ReadonlyArray<FlowUse>
}

/** The contacts that match a definition. */
export interface SegmentPreview extends SegmentCount {
  /** The newest matching contacts. */
  readonly sample: ReadonlyArray<Contact>
}

/** The most values offered to complete what a person types. */
const maxCompletions = 50

/** The number of contacts in a preview. */
const sampleSize = 10

/** The filters of the contact list, as its caller gives them. */
export interface ContactQuery extends Omit<ContactFilter, "segment" | "topic"> {
  /** The ids of segments. */
  readonly segment?: Among<string>
  /** The keys of topics, prefixed by `!` if the contact must not have the topic. */
  readonly topic?: Among<string>
}

/** The people whom a definition selects, grouped by what determines whether they get marketing email. */
export interface SegmentReach {
  /** The given topic; null for none. */
  readonly topic: Topic | null
  readonly groups: ReadonlyArray<ReachGroup>
}

/** The people whom any of the stored rules `include` selects and none of `exclude`, and who were added at `asOf` or before. */
export interface SegmentSelection {
  readonly include: ReadonlyArray<Segment["definition"]>
  readonly exclude: ReadonlyArray<Segment["definition"]>
}

/** The parameters of an estimate in addition to the rules. */
export interface EstimateRequest {
  /** The topic; null for none. */
  readonly topic: Topic | null
  /** The key of the attribute that names a time zone; null for none. */
  readonly timeZoneAttribute: string | null
  readonly caps: ReadonlyArray<FrequencyCap>
}

/** An estimate of the people whom rules select. */
export interface SelectionEstimate extends SegmentReach {
  readonly zones: ReadonlyArray<ZoneGroup>
  /** The number of those who may get marketing but have reached a frequency cap. */
  readonly capped: number
}

/** The use cases of segments and the list of contacts. */
export class Segments extends Context.Service<
  Segments,
  {
    /** All segments: the built-in ones, then the account's own, oldest first. Counts are exact. */
    readonly all: (accountId: string) => Effect.Effect<ReadonlyArray<CountedSegment>, Unavailable>
    /** A page of all segments: the account's own, newest first, then the built-in ones. */
    readonly list: (accountId: string, page: PageRequest) => Effect.Effect<Page<CountedSegment>, Unavailable>
    /** A segment by id; segments.not_found. */
    readonly get: (accountId: string, id: string) => Effect.Effect<CountedSegment, Problem | Unavailable>
    /** Creates a segment. validation.*, segments.* for the definition; segments.limit_reached. */
    readonly create: (
      accountId: string,
      write: SegmentWrite,
      actor: Actor
    ) => Effect.Effect<CountedSegment, Problem | Unavailable>
    /**
     * The id of the account's oldest segment with exactly these rules. If there is none, it is created; its name is truncated to
     * the limit. Fails like `create`.
     */
    readonly require: (
      accountId: string,
      write: SegmentWrite,
      actor: Actor
    ) => Effect.Effect<string, Problem | Unavailable>
    /** Changes the given values. Fails like `create`, without limit_reached; segments.not_found, segments.built_in. */
    readonly change: (
      accountId: string,
      id: string,
      write: Partial<SegmentWrite>,
      actor: Actor
    ) => Effect.Effect<CountedSegment, Problem | Unavailable>
    /** Removes a segment. segments.not_found, segments.built_in; segments.in_use if an active campaign or a flow uses it. */
    readonly remove: (
      accountId: string,
      id: string,
      actor: Actor
    ) => Effect.Effect<void, Problem | Unavailable>
    /** Where a segment is used; segments.not_found. */
    readonly usage: (accountId: string, id: string) => Effect.Effect<SegmentUsage, Problem | Unavailable>
    /** The number of contacts that a definition selects now, and the newest ten of them. segments.*. */
    readonly preview: (
      accountId: string,
      definition: DefinitionWrite
    ) => Effect.Effect<SegmentPreview, Problem | Unavailable>
    /**
     * The people whom a definition selects now, grouped by what determines whether they get marketing email, for the topic with a
     * key or (null) without one. segments.*; topics.not_found on `topic`.
     */
    readonly reach: (
      accountId: string,
      definition: DefinitionWrite,
      topic: string | null
    ) => Effect.Effect<SegmentReach, Problem | Unavailable>
    /** The fields that rules can name. */
    readonly fields: (accountId: string) => Effect.Effect<ReadonlyArray<FieldChoice>, Unavailable>
    /**
     * The values of a field that contain `q` (case-insensitive), most frequent first; for the key `events`, the names of events.
     * None for fields that identify people, and for numbers and dates. segments.field_unknown on `field`.
     */
    readonly values: (
      accountId: string,
      fieldKey: string,
      q: string
    ) => Effect.Effect<ReadonlyArray<string>, Problem | Unavailable>
    /**
     * Contacts that pass a query's filters, newest first unless the page asks for another order. segments.not_found;
     * validation.format on `topic` for a key that the account does not have, and on `segment` for more than 8.
     */
    readonly find: (
      accountId: string,
      query: ContactQuery,
      page: PageRequest
    ) => Effect.Effect<Page<Contact>, Problem | Unavailable>
    /** The stored rules of segments, in the order of the ids; segments.not_found. */
    readonly documents: (
      accountId: string,
      ids: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<Segment["definition"]>, Problem | Unavailable>
    /** The ids of all segments, including built-in ones. */
    readonly ids: (accountId: string) => Effect.Effect<ReadonlySet<string>, Unavailable>
    /** The definitions of those segments that exist, by id. */
    readonly definitions: (
      accountId: string,
      ids: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyMap<string, SegmentDefinition>, Unavailable>
    /**
     * Contacts whom any of the included rules selects and none of the excluded ones, as of a time (epoch milliseconds), newest
     * first.
     */
    readonly select: (
      accountId: string,
      chosen: SegmentSelection,
      page: PageRequest,
      asOf: number
    ) => Effect.Effect<Page<Contact>, Unavailable>
    /**
     * Adds a part of the selected people, by id, as recipients of a campaign. Returns the last contact examined, or null at the
     * end. Part of the caller's transaction.
     */
    readonly addRecipients: (
      accountId: string,
      chosen: SegmentSelection,
      part: Omit<AudiencePart, "chosen">
    ) => Effect.Effect<string | null, Unavailable>
    /** An estimate of the people whom rules select, grouped by what determines marketing email and their time zone. */
    readonly estimate: (
      accountId: string,
      chosen: SegmentSelection,
      about: EstimateRequest
    ) => Effect.Effect<SelectionEstimate, Unavailable>
    /** Contacts, newest first: all (null), or those of a segment; segments.not_found. */
    readonly contacts: (
      accountId: string,
      segmentId: string | null,
      page: PageRequest
    ) => Effect.Effect<Page<Contact>, Problem | Unavailable>
  }
>()("svc/audience/Segments") {
  static readonly layer = Layer.effect(
    Segments,
    Effect.suspend(() => make)
  ).pipe(Layer.provide([SegmentCounting.layer, KeptLists.layer]), builtOnce)
}

const make = Effect.gen(function* () {
  const accounts = yield* AccountStore
  const campaigns = yield* CampaignStore
  const crypto = yield* Crypto
  const fields = yield* ContactFieldStore
  const flows = yield* FlowStore
  const ids = yield* Ids
  const queue = yield* JobQueue
  const { record } = yield* AuditTrail
  const store = yield* SegmentStore
  const { count } = yield* SegmentCounting
  const kept = yield* KeptLists
  const topics = yield* TopicStore
  const atomically = yield* Atomically

  const builtIns = (accountId: string) => builtInSegments(accountId, crypto.sha256Hex)

  const scopeOf = (accountId: string) =>
    Effect.all(
      { fields: fields.list(accountId), topics: topics.list(accountId) },
      { concurrency: "unbounded" }
    )

  /** The definitions of stored segments, which stay valid because fields and topics are never deleted. */
  const definitionsOf = Effect.fnUntraced(function* (accountId: string, segments: ReadonlyArray<Segment>) {
    const scope = yield* scopeOf(accountId)
    const definitions: Array<SegmentDefinition> = []
    for (const segment of segments) {
      const parsed = yield* Effect.orDie(Effect.fromResult(parseDefinition(segment.definition, scope)))
      definitions.push(parsed.definition)
    }
    return definitions
  })

  const countedList = Effect.fnUntraced(function* (accountId: string, segments: ReadonlyArray<Segment>) {
    const definitions = yield* definitionsOf(accountId, segments)
    const counts = yield* count(accountId, definitions)
    return {
      definitions,
      segments: segments.map((segment, index): CountedSegment => ({ ...segment, ...counts[index]! }))
    }
  })

  const counted = (accountId: string, segments: ReadonlyArray<Segment>) =>
    segments.length === 0
      ? Effect.succeed([])
      : Effect.map(countedList(accountId, segments), (list) => list.segments)

  const countedOne = (accountId: string, segment: Segment) =>
    Effect.map(counted(accountId, [segment]), ([one]) => one!)

  const find = Effect.fnUntraced(function* (accountId: string, id: string) {
    const segment =
      builtIns(accountId).find((one) => one.id === id) ??
      (yield* store.list(accountId)).find((one) => one.id === id)
    return segment ?? (yield* Problem.of("segments.not_found"))
  })

  /** segments.field_unknown for each rule about a campaign that the account does not have. */
  const checkCampaigns = Effect.fnUntraced(function* (accountId: string, { rules }: SegmentDefinition) {
    const named = rules.map(({ field }) => (field._tag === "Campaign" ? field.campaignId : null))
    const wanted = [...new Set(named.filter((id) => id !== null))]
    const found = new Set((yield* campaigns.find(accountId, wanted)).map(({ id }) => id))
    const issues = new Issues()
    named.forEach((id, index) => {
      if (id !== null && !found.has(id)) {
        issues.add("segments.field_unknown", `definition.rules[${index}].fieldKey`, null, {
          value: `campaigns.${id}`
        })
      }
    })
    yield* Effect.fromResult(issues.result(null))
  })

  const parse = Effect.fnUntraced(function* (accountId: string, write: DefinitionWrite) {
    const parsed = yield* Effect.fromResult(parseDefinition(write, yield* scopeOf(accountId)))
    yield* checkCampaigns(accountId, parsed.definition)
    return parsed
  })

  /** Adds a segment; fails like `create`. */
  const insert = Effect.fnUntraced(function* (accountId: string, write: SegmentWrite, actor: Actor) {
    const { description = null, name = "" } = yield* Effect.fromResult(parseLabels(write))
    const { document } = yield* parse(accountId, write.definition)
    const now = yield* Clock.currentTimeMillis
    const segment: Segment = {
      id: yield* ids.next,
      accountId,
      name,
      description,
      definition: document,
      builtInKey: null,
      createdAt: now,
      ...editedBy(actor, now)
    }
    yield* atomically(
      Effect.gen(function* () {
        // Of two concurrent calls, the second must count the first.
        yield* accounts.lock([accountId])
        if ((yield* store.list(accountId)).length >= maxSegments) {
          return yield* Problem.of("segments.limit_reached", null, { max: maxSegments })
        }
        yield* store.insert(segment)
        // The segment's trend begins today.
        yield* queue.enqueue([
          segmentSizesJob.job({ id: yield* ids.next, accountId, payload: {}, runAt: now })
        ])
        yield* record(actor, {
          accountId,
          action: "segment.created",
          target: segment.id,
          before: null,
          after: summaryOf(segment)
        })
      })
    )
    return segment
  })

  return Segments.of({
    all: Effect.fn("Segments.all")(function* (accountId) {
      const read = Effect.flatMap(store.list(accountId), (own) =>
        countedList(accountId, [...builtIns(accountId), ...own])
      )
      return yield* kept.segments(accountId, read)
    }),
    list: Effect.fn("Segments.list")(function* (accountId, page) {
      const own = (yield* store.list(accountId)).map((segment) => ({ segment, rank: 0 }))
      const others = builtIns(accountId).map((segment, index) => ({ segment, rank: -1 - index }))
      const shown = pageOfAll([...others.toReversed(), ...own], page, ({ rank, segment }) => [
        rank,
        segment.createdAt,
        segment.id
      ])
      return {
        ...shown,
        items: yield* counted(
          accountId,
          shown.items.map(({ segment }) => segment)
        )
      }
    }),
    get: Effect.fn("Segments.get")(function* (accountId, id) {
      return yield* countedOne(accountId, yield* find(accountId, id))
    }),
    create: Effect.fn("Segments.create")(function* (accountId, write, actor) {
      return yield* countedOne(accountId, yield* insert(accountId, write, actor))
    }),
    require: Effect.fn("Segments.require")(function* (accountId, write, actor) {
      const { document } = yield* parse(accountId, write.definition)
      const same = (yield* store.list(accountId)).find(({ definition }) => deepEqual(definition, document))
      const name = write.name.slice(0, maxSegmentName).toWellFormed()
      return (same ?? (yield* insert(accountId, { ...write, name }, actor))).id
    }),
    change: Effect.fn("Segments.change")(function* (accountId, id, write, actor) {
      const { description, name } = yield* Effect.fromResult(parseLabels(write))
      const parsed = write.definition === undefined ? null : yield* parse(accountId, write.definition)
      const changed = yield* atomically(
        Effect.gen(function* () {
          // Of two concurrent changes, the second must see the first, so that the audit log shows both.
          yield* accounts.lock([accountId])
          const before = yield* find(accountId, id)
          if (before.builtInKey !== null) return yield* Problem.of("segments.built_in")
          yield* expectUnedited(before)
          const after: Segment = {
            ...before,
            name: name ?? before.name,
            description: description === undefined ? before.description : description,
            definition: parsed?.document ?? before.definition,
            ...editedBy(actor, yield* Clock.currentTimeMillis, before)
          }
          yield* store.save(after)
          yield* record(actor, {
            accountId,
            action: "segment.changed",
            target: id,
            before: summaryOf(before),
            after: summaryOf(after)
          })
          return after
        })
      )
      return yield* countedOne(accountId, changed)
    }),
    remove: Effect.fn("Segments.remove")(function* (accountId, id, actor) {
      if (builtIns(accountId).some((one) => one.id === id)) return yield* Problem.of("segments.built_in")
      yield* atomically(
        Effect.gen(function* () {
          // Of this removal and a concurrent launch, the later must see the earlier.
          yield* accounts.lock([accountId])
          const active = yield* campaigns.uses(accountId, activeStatuses, { segmentId: id }, 1)
          const isUsed = active.length > 0 || (yield* flows.using(accountId, "segmentId", id)).length > 0
          if (isUsed) return yield* Problem.of("segments.in_use")
          const before = yield* store.remove(accountId, id)
          if (before === null) return yield* Problem.of("segments.not_found")
          yield* expectUnedited(before)
          yield* record(actor, {
            accountId,
            action: "segment.removed",
            target: id,
            before: summaryOf(before),
            after: null
          })
        })
      )
    }),
    usage: Effect.fn("Segments.usage")(function* (accountId, id) {
      yield* find(accountId, id)
      const statuses = ["Draft", ...activeStatuses] as const
      const open = yield* campaigns.uses(accountId, statuses, { segmentId: id }, maxOpenCampaigns)
      return { campaigns: usesOf(open), flows: yield* flows.using(accountId, "segmentId", id) }
    }),
    preview: Effect.fn("Segments.preview")(function* (accountId, write) {
      const { definition } = yield* parse(accountId, write)
      const [one] = yield* count(accountId, [definition])
      const newest = { page: 1, pageSize: sampleSize }
      const { items } = yield* store.contacts(accountId, definition, newest, yield* Clock.currentTimeMillis)
      return { ...one!, sample: items }
    }),
    reach: Effect.fn("Segments.reach")(function* (accountId, write, key) {
      const scope = yield* scopeOf(accountId)
      const { definition } = yield* Effect.fromResult(parseDefinition(write, scope))
      yield* checkCampaigns(accountId, definition)
      const topic = key === null ? null : scope.topics.find((one) => one.key === key)
      if (topic === undefined) return yield* Problem.of("topics.not_found", "topic", null, { key: key ?? "" })
      const now = yield* Clock.currentTimeMillis
      const chosen = { include: [definition], exclude: [] }
      return { topic, groups: yield* store.reach(accountId, chosen, topic, now) }
    }),
    fields: Effect.fn("Segments.fields")(function* (accountId) {
      return fieldChoices(yield* scopeOf(accountId))
    }),
    values: Effect.fn("Segments.values")(function* (accountId, fieldKey, q) {
      const field = fieldKey === eventsKey ? eventNames : fieldOf(fieldKey, yield* scopeOf(accountId))
      if (field === null) {
        return yield* Problem.of("segments.field_unknown", "field", null, { value: fieldKey })
      }
      const completed = completedField(field)
      const values =
        field._tag === "Text" && field.column === "consentStatus"
          ? consentStatuses
          : completed === null
            ? []
            : yield* store.values(accountId, completed)
      const wanted = foldCase(q.trim())
      return values.filter((value) => foldCase(value).includes(wanted)).slice(0, maxCompletions)
    }),
    find: Effect.fn("Segments.find")(function* (accountId, query, page) {
      const { q = null, segment = null, topic = null, ...others } = query
      if (segment !== null && segment.length > maxFiltered) {
        return yield* Problem.of("validation.format", "segment", null, {
          expected: `at most ${maxFiltered} segments`
        })
      }
      const found = yield* Effect.forEach(segment ?? [], (id) => find(accountId, id))
      const known = topic === null ? [] : yield* topics.list(accountId)
      const tests = (topic ?? []).map((text): TopicTest | null => {
        const on = !text.startsWith("!")
        const one = known.find(({ key }) => key === (on ? text : text.slice(1)))
        return one === undefined ? null : { id: one.id, defaultOn: one.defaultOn, on }
      })
      if (tests.includes(null)) {
        return yield* Problem.of("validation.format", "topic", null, {
          expected: "keys of topics, with ! before those that a contact must not have"
        })
      }
      const filter: ContactFilter = {
        ...others,
        q: q === null ? null : searchedText(q.replaceAll("\n", " ")),
        segment: segment === null ? null : yield* definitionsOf(accountId, found),
        topic: topic === null ? null : tests.filter((test) => test !== null)
      }
      return yield* store.find(accountId, filter, page, yield* Clock.currentTimeMillis)
    }),
    documents: Effect.fn("Segments.documents")(function* (accountId, wanted) {
      if (wanted.length === 0) return []
      const all = new Map(
        [...builtIns(accountId), ...(yield* store.list(accountId))].map((one) => [one.id, one.definition])
      )
      const missing = wanted.find((id) => !all.has(id))
      if (missing !== undefined) return yield* Problem.of("segments.not_found")
      return wanted.map((id) => all.get(id)!)
    }),
    select: Effect.fn("Segments.select")(function* (accountId, { exclude, include }, page, asOf) {
      const selected = yield* storedSelection({ include, exclude }, yield* scopeOf(accountId))
      const filter: ContactFilter = { segment: selected.include, outside: selected.exclude, until: asOf + 1 }
      return yield* store.find(accountId, filter, page, asOf)
    }),
    addRecipients: Effect.fn("Segments.addRecipients")(function* (accountId, documents, part) {
      const chosen = yield* storedSelection(documents, yield* scopeOf(accountId))
      return yield* store.addRecipients(accountId, { ...part, chosen })
    }),
    estimate: Effect.fn("Segments.estimate")(function* (accountId, documents, about) {
      const chosen = yield* storedSelection(documents, yield* scopeOf(accountId))
      const now = yield* Clock.currentTimeMillis
      return {
        topic: about.topic,
        groups: yield* store.reach(accountId, chosen, about.topic, now),
        zones: yield* store.zones(accountId, chosen, about.timeZoneAttribute, now),
        capped: yield* store.capped(accountId, chosen, about.caps, now)
      }
    }),
    ids: Effect.fn("Segments.ids")(function* (accountId) {
      return new Set([...builtIns(accountId), ...(yield* store.list(accountId))].map(({ id }) => id))
    }),
    definitions: Effect.fn("Segments.definitions")(function* (accountId, wanted) {
      const all = [...builtIns(accountId), ...(yield* store.list(accountId))]
      const found = all.filter(({ id }) => wanted.includes(id))
      const definitions = yield* definitionsOf(accountId, found)
      return new Map(found.map(({ id }, index) => [id, definitions[index]!]))
    }),
    contacts: Effect.fn("Segments.contacts")(function* (accountId, segmentId, page) {
      if (segmentId === null)
        return yield* store.contacts(accountId, null, page, yield* Clock.currentTimeMillis)
      const definition = Effect.flatMap(find(accountId, segmentId), (segment) =>
        Effect.map(definitionsOf(accountId, [segment]), ([one]) => one!)
      )
      return yield* kept.contacts(accountId, segmentId, page, definition)
    })
  })
})

/** The key that stands for the names of all events; its values are looked up like those of a field. */
const eventsKey = "events"
const eventNames: SegmentField = { _tag: "Events", name: eventsKey }

/** The field whose values are looked up; null if none are offered. */
const completedField = (field: SegmentField): CompletedField | null => {
  switch (field._tag) {
    case "Text":
      return field.column === "city" || field.column === "countryCode" || field.column === "language"
        ? { _tag: "Column", column: field.column }
        : null
    case "Attribute":
      return field.type === "Text" || field.type === "TextList"
        ? { _tag: "Attribute", key: field.key, isList: field.type === "TextList" }
        : null
    case "Tags":
    case "Events":
      return { _tag: field._tag }
    default:
      return null
  }
}

/** Parses a segment's name and description; undefined if they are absent. */
const parseLabels = (write: Partial<SegmentWrite>) => {
  const issues = new Issues()
  const name = write.name === undefined ? undefined : checkText(write.name, "name", maxSegmentName, issues)
  if (name === "") issues.add("validation.required", "name")
  const { description: given } = write
  const description =
    given == null ? given : checkText(given, "description", maxSegmentDescription, issues) || null
  return issues.result({ name, description })
}

/** Stored rules in the form that is evaluated. */
const stored = (documents: SegmentSelection["include"], scope: SegmentScope) =>
  Effect.forEach(documents, (document) =>
    Effect.map(
      Effect.orDie(Effect.fromResult(parseDefinition(document, scope))),
      ({ definition }) => definition
    )
  )

const storedSelection = (documents: SegmentSelection, scope: SegmentScope) =>
  Effect.all({ include: stored(documents.include, scope), exclude: stored(documents.exclude, scope) })

/** The summary of a segment for the audit log. */
const summaryOf = ({ definition, description, name }: Segment): Json => ({
  name,
  description,
  definition: { ...definition }
})
