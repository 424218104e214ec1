/**
 * The use cases on segments, and the list of contacts.
 *
 * @module
 */
import { Clock, Context, Effect, Layer } from "effect"
import { makeRecorder } from "../../accounts/AuditTrail.ts"
import { AccountStore } from "../../ports/AccountStore.ts"
import { ContactFieldStore } from "../../ports/ContactFieldStore.ts"
import { Crypto } from "../../ports/Crypto.ts"
import { type SegmentCount, SegmentStore } from "../../ports/SegmentStore.ts"
import { TopicStore } from "../../ports/TopicStore.ts"
import { Transaction } from "../../ports/Transaction.ts"
import { retryConflicts } from "../../kernel/Conflicts.ts"
import { Ids } from "../../kernel/Ids.ts"
import type { Json } from "../../shared/Json.ts"
import { offsetOf, type Page, type PageRequest } from "../../shared/Page.ts"
import { type Issue, issue, Problem, type Unavailable } from "../../shared/Problem.ts"
import { checkText, type Maybe } from "../../shared/Validate.ts"
import { builtInSegments } from "./BuiltInSegments.ts"
import type { Contact } from "../../model/Contact.ts"
import { maxSegments, type Segment } from "../../model/Segment.ts"
import type { SegmentDefinition } from "../../model/SegmentDefinition.ts"
import {
  checkDefinition,
  type CheckedDefinition,
  type DefinitionWrite,
  maxSegmentDescription,
  maxSegmentName
} from "./SegmentRules.ts"

/** A segment with how many contacts it picks now. */
export interface CountedSegment extends Segment, SegmentCount {}

/** A segment as it is written; what is left out of a change stays. */
export interface SegmentWrite {
  readonly name: string
  /** An empty text or null clears it. */
  readonly description?: Maybe<string>
  readonly definition: DefinitionWrite
}

/** What a definition would pick. */
export interface SegmentPreview extends SegmentCount {
  /** The newest contacts it picks. */
  readonly sample: ReadonlyArray<Contact>
}

/** How many contacts a preview shows. */
const sampleSize = 10

/** The use cases on segments and lists. */
export class Segments extends Context.Service<
  Segments,
  {
    /** All segments: the built-in ones, then the account's own, oldest first. Counts are exact. */
    readonly all: (accountId: string) => Effect.Effect<ReadonlyArray<CountedSegment>, Unavailable>
    /** A page of all segments: the account's own, newest first, then the built-in ones. */
    readonly list: (accountId: string, page: PageRequest) => Effect.Effect<Page<CountedSegment>, Unavailable>
    /** A segment by id; segments.not_found. */
    readonly get: (accountId: string, id: string) => Effect.Effect<CountedSegment, Problem | Unavailable>
    /** Adds a segment. validation.* of name and description, segments.* of the definition. */
    readonly create: (
      accountId: string,
      write: SegmentWrite,
      actor: string
    ) => Effect.Effect<CountedSegment, Problem | Unavailable>
    /** Changes what is given. As `create`; segments.not_found, segments.built_in. */
    readonly change: (
      accountId: string,
      id: string,
      write: Partial<SegmentWrite>,
      actor: string
    ) => Effect.Effect<CountedSegment, Problem | Unavailable>
    /** Removes a segment. segments.not_found, segments.built_in. */
    readonly remove: (
      accountId: string,
      id: string,
      actor: string
    ) => Effect.Effect<void, Problem | Unavailable>
    /** What a definition picks now, with the newest ten. segments.*. */
    readonly preview: (
      accountId: string,
      definition: DefinitionWrite
    ) => Effect.Effect<SegmentPreview, Problem | Unavailable>
    /** Contacts, newest first: all of them, or those of a segment; segments.not_found. */
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
  )
}

const make = Effect.gen(function* () {
  const accounts = yield* AccountStore
  const crypto = yield* Crypto
  const fields = yield* ContactFieldStore
  const ids = yield* Ids
  const record = yield* makeRecorder
  const store = yield* SegmentStore
  const topics = yield* TopicStore
  const transaction = yield* Transaction

  const builtIns = (accountId: string) => builtInSegments(accountId, crypto.sha256Hex)

  const vocabularyOf = (accountId: string) =>
    Effect.all(
      { fields: fields.list(accountId), topics: topics.list(accountId) },
      { concurrency: "unbounded" }
    )

  /** The definitions of stored segments. Fields and topics are never deleted, so what was valid once still is. */
  const definitionsOf = Effect.fnUntraced(function* (accountId: string, segments: ReadonlyArray<Segment>) {
    const vocabulary = yield* vocabularyOf(accountId)
    const definitions: Array<SegmentDefinition> = []
    for (const segment of segments) {
      const checked = checkDefinition(segment.definition, vocabulary)
      if (checked instanceof Problem) return yield* Effect.die(checked)
      definitions.push(checked.definition)
    }
    return definitions
  })

  const counted = Effect.fnUntraced(function* (accountId: string, segments: ReadonlyArray<Segment>) {
    if (segments.length === 0) return []
    const definitions = yield* definitionsOf(accountId, segments)
    const counts = yield* store.count(accountId, definitions, yield* Clock.currentTimeMillis)
    return segments.map((segment, index): CountedSegment => ({ ...segment, ...counts[index]! }))
  })

  const countedOne = (accountId: string, segment: Segment) =>
    Effect.map(counted(accountId, [segment]), ([one]) => one!)

  const find = Effect.fnUntraced(function* (accountId: string, id: string) {
    const segment =
      builtIns(accountId).find((one) => one.id === id) ??
      (yield* store.list(accountId)).find((one) => one.id === id)
    return segment ?? (yield* Problem.of("segments.not_found"))
  })

  const check = Effect.fnUntraced(function* (accountId: string, write: DefinitionWrite) {
    const checked = checkDefinition(write, yield* vocabularyOf(accountId))
    return checked instanceof Problem ? yield* checked : checked
  })

  const create: Segments["Service"]["create"] = Effect.fn("Segments.create")(
    function* (accountId, write, actor) {
      const texts = checkTexts(write)
      if (texts instanceof Problem) return yield* texts
      const { document } = yield* check(accountId, write.definition)
      const segment: Segment = {
        id: yield* ids.next,
        accountId,
        name: texts.name ?? "",
        description: texts.description ?? null,
        definition: document,
        builtInKey: null,
        createdAt: yield* Clock.currentTimeMillis
      }
      yield* retryConflicts(
        transaction.run(
          Effect.gen(function* () {
            // Two at the same moment are one after the other, so that both count.
            yield* accounts.lock([accountId])
            if ((yield* store.list(accountId)).length >= maxSegments) {
              return yield* Problem.of("segments.limit_reached", null, { max: maxSegments })
            }
            yield* store.insert(segment)
            yield* record(actor, {
              accountId,
              action: "segment.created",
              target: segment.id,
              before: null,
              after: recorded(segment)
            })
          })
        )
      )
      return yield* countedOne(accountId, segment)
    }
  )

  const change: Segments["Service"]["change"] = Effect.fn("Segments.change")(
    function* (accountId, id, write, actor) {
      const texts = checkTexts(write)
      if (texts instanceof Problem) return yield* texts
      const checked: CheckedDefinition | null =
        write.definition === undefined ? null : yield* check(accountId, write.definition)
      const changed = yield* retryConflicts(
        transaction.run(
          Effect.gen(function* () {
            // Two changes at the same moment are one after the other, so that the log tells both.
            yield* accounts.lock([accountId])
            const before = yield* find(accountId, id)
            if (before.builtInKey !== null) return yield* Problem.of("segments.built_in")
            const after: Segment = {
              ...before,
              name: texts.name ?? before.name,
              description: texts.description === undefined ? before.description : texts.description,
              definition: checked?.document ?? before.definition
            }
            yield* store.save(after)
            yield* record(actor, {
              accountId,
              action: "segment.changed",
              target: id,
              before: recorded(before),
              after: recorded(after)
            })
            return after
          })
        )
      )
      return yield* countedOne(accountId, changed)
    }
  )

  const remove: Segments["Service"]["remove"] = Effect.fn("Segments.remove")(
    function* (accountId, id, actor) {
      if (builtIns(accountId).some((one) => one.id === id)) return yield* Problem.of("segments.built_in")
      yield* retryConflicts(
        transaction.run(
          Effect.gen(function* () {
            const before = yield* store.remove(accountId, id)
            if (before === null) return yield* Problem.of("segments.not_found")
            yield* record(actor, {
              accountId,
              action: "segment.removed",
              target: id,
              before: recorded(before),
              after: null
            })
          })
        )
      )
    }
  )

  return Segments.of({
    all: Effect.fn("Segments.all")(function* (accountId) {
      return yield* counted(accountId, [...builtIns(accountId), ...(yield* store.list(accountId))])
    }),
    list: Effect.fn("Segments.list")(function* (accountId, page) {
      const all = [...(yield* store.list(accountId)).toReversed(), ...builtIns(accountId)]
      const shown = all.slice(offsetOf(page), offsetOf(page) + page.pageSize)
      return { items: yield* counted(accountId, shown), ...page, totalCount: all.length }
    }),
    get: Effect.fn("Segments.get")(function* (accountId, id) {
      return yield* countedOne(accountId, yield* find(accountId, id))
    }),
    create,
    change,
    remove,
    preview: Effect.fn("Segments.preview")(function* (accountId, write) {
      const { definition } = yield* check(accountId, write)
      const now = yield* Clock.currentTimeMillis
      const [[count], { items }] = yield* Effect.all(
        [
          store.count(accountId, [definition], now),
          store.contacts(accountId, definition, { page: 1, pageSize: sampleSize }, now)
        ],
        { concurrency: "unbounded" }
      )
      return { ...count!, sample: items }
    }),
    contacts: Effect.fn("Segments.contacts")(function* (accountId, segmentId, page) {
      const now = yield* Clock.currentTimeMillis
      if (segmentId === null) return yield* store.contacts(accountId, null, page, now)
      const segment = yield* find(accountId, segmentId)
      const [definition] = yield* definitionsOf(accountId, [segment])
      return yield* store.contacts(accountId, definition!, page, now)
    })
  })
})

/** Name and description as they are kept; undefined where they are left out. */
const checkTexts = (
  write: Partial<SegmentWrite>
): { readonly name: string | undefined; readonly description: string | null | undefined } | Problem => {
  const issues: Array<Issue> = []
  const name = write.name === undefined ? undefined : checkText(write.name, "name", maxSegmentName, issues)
  if (name === "") issues.push(issue("validation.required", "name"))
  const { description: given } = write
  const description =
    given == null ? given : checkText(given, "description", maxSegmentDescription, issues) || null
  return Problem.from(issues) ?? { name, description }
}

const recorded = ({ definition, description, name }: Segment): Json => ({
  name,
  description,
  definition: { ...definition }
})
