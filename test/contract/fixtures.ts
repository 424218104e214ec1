/**
 * Shared by the contract suites: the type of a suite, records to write, and ways to wait.
 *
 * The database serves all suites and may hold other rows, so each test makes its own company and accounts.
 *
 * @module
 */
import type { Edited } from "../../core/model/Edited.ts"
import { randomBytes, randomUUID } from "node:crypto"
import { expect, type Vitest } from "@effect/vitest"
import { Cause, Deferred, Effect, Exit, Fiber } from "effect"
import { managementActor } from "../../core/model/Actor.ts"
import {
  type Account,
  type Company,
  defaultPolicy,
  defaultSettings,
  type Settings
} from "../../core/model/Account.ts"
import { type Contact, newContact } from "../../core/model/Contact.ts"
import { AccountStore } from "../../core/ports/AccountStore.ts"
import type { AuditEntry, AuditScope } from "../../core/ports/AuditLog.ts"
import type { ContactChanges, ContactKeys } from "../../core/ports/ContactStore.ts"
import type { StoragePorts } from "../../core/ports/index.ts"
import { type DeliveryRef, SubmissionStore } from "../../core/ports/SubmissionStore.ts"
import type { Submission } from "../../core/model/Submission.ts"
import type { Page, PageRequest, Place } from "../../core/shared/Page.ts"

export type { StoragePorts } from "../../core/ports/index.ts"

/** The `it` with which a suite registers its tests: `layer(storage)("my adapter", suite)` of `@effect/vitest`. */
export type StorageTest = Vitest.MethodsNonLive<StoragePorts>

/** The current time of the tests. */
export const now = Date.UTC(2031, 4, 6, 7, 8, 9, 123)

/** The data about a change by a person. */
export const edited: Edited = {
  updatedAt: now + 5,
  updatedBy: { kind: "User", id: "01890a5d-ac96-774b-bcce-b302099a8057", name: "Ada" }
}

export const minute = 60_000

/** A string that must be stored unchanged. */
export const oddText = `Zoë's "Ünï" \\ 漢字 👩‍👩‍👧 e\u0301 \u202e \t\n$1 {a,b} NULL`

/** The submissions of the given deliveries, each once and with its body, in no particular order. */
export const wholeSubmissions = Effect.fnUntraced(function* (refs: ReadonlyArray<DeliveryRef>) {
  const store = yield* SubmissionStore
  const unloaded = yield* store.unloaded(refs)
  const contents = new Map((yield* store.contents(unloaded)).map((content) => [content.id, content]))
  return unloaded.map(
    ({ attachedBytes: _attached, bodies: _bodies, bodyBytes: _size, ...rest }): Submission => {
      const { attachments, html, text } = contents.get(rest.id)!
      const files = attachments.map((file) => ({ ...file, content: file.content as Uint8Array }))
      return { ...rest, html, text, attachments: files }
    }
  )
})

/** A new id that contains a time, in epoch milliseconds. */
export const idAt = (time: number): string => {
  const digits = time.toString(16).padStart(12, "0")
  return `${digits.slice(0, 8)}-${digits.slice(8)}-7${randomUUID().slice(15)}`
}

let lastId = 0

/** A new id. Ids ascend in the order in which they are made. */
export const newId = (): string => {
  lastId = Math.max(lastId + 1, Date.now())
  return idAt(lastId)
}

/** A unique string. */
export const unique = (prefix: string): string => `${prefix}-${randomBytes(8).toString("hex")}`

export const newEmail = (): string => `${unique("person")}@example.com`

/** A hash in the format in which key hashes are stored. */
export const newHash = (): string => randomBytes(32).toString("hex")

/** The results of `make` for numbers from 0. */
export const times = <A>(count: number, make: (index: number) => A): ReadonlyArray<A> =>
  Array.from({ length: count }, (_, index) => make(index))

/** A company with its two accounts, which are not stored. */
export const draftCompany = (
  settings: Partial<Settings> = {},
  createdAt = now
): { readonly company: Company; readonly live: Account; readonly sandbox: Account } => {
  const company: Company = {
    id: newId(),
    name: unique("Company"),
    liveAccountId: newId(),
    sandboxAccountId: newId(),
    ...defaultPolicy,
    createdAt
  }
  const account = (id: string, mode: Account["mode"]): Account => ({
    id,
    companyId: company.id,
    mode,
    name: company.name,
    settings: { ...defaultSettings, ...settings },
    deletedAt: null,
    createdAt,
    updatedAt: createdAt,
    updatedBy: null
  })
  return {
    company,
    live: account(company.liveAccountId, "Live"),
    sandbox: account(company.sandboxAccountId, "Sandbox")
  }
}

/** A stored company's live account. */
export const freshAccount = Effect.fnUntraced(function* (settings: Partial<Settings> = {}) {
  const { company, live, sandbox } = draftCompany(settings)
  const store = yield* AccountStore
  yield* store.insert([company], [live, sandbox])
  return live
})

/** The ids of new accounts, each of another company. */
export const freshAccountIds = Effect.fnUntraced(function* (count: number) {
  const drafts = times(count, () => draftCompany())
  const store = yield* AccountStore
  yield* store.insert(
    drafts.map(({ company }) => company),
    drafts.flatMap(({ live, sandbox }) => [live, sandbox])
  )
  return drafts.map(({ live }) => live.id)
})

/** The id of a new account. */
export const freshAccountId = Effect.map(
  Effect.suspend(() => freshAccount()),
  (account) => account.id
)

/** A new contact. */
export const draftContact = (values: Partial<Contact> = {}): Contact => ({
  ...newContact(newId(), newEmail(), now),
  ...values
})

/** A contact with changes, at its next version. */
export const changed = (contact: Contact, values: Partial<Contact>): Contact => ({
  ...contact,
  ...values,
  version: contact.version + 1
})

/** Changes of a batch, by default empty. */
export const changes = (given: Partial<ContactChanges>): ContactChanges => ({
  inserts: [],
  updates: [],
  released: [],
  updatedFields: "Any",
  consents: [],
  contactLimit: null,
  ...given
})

/** Identities of a batch, by default empty. */
export const keys = (given: Partial<ContactKeys>): ContactKeys => ({
  ids: [],
  externalIds: [],
  emails: [],
  ...given
})

/** An audit entry. */
export const draftEntry = (accountId: string, values: Partial<AuditEntry> = {}): AuditEntry => ({
  id: newId(),
  accountId,
  at: now,
  actor: managementActor,
  companyId: null,
  targetName: null,
  outcome: "Done",
  action: "thing.changed",
  target: newId(),
  before: null,
  after: null,
  contentDigest: null,
  ...values
})

/** The entries of one account. */
export const auditOf = (accountId: string): AuditScope => ({ _tag: "Accounts", accountIds: [accountId] })

export const firstPage: PageRequest = { page: 1, pageSize: 200 }

/** All entries of a list, page by page. Each page must have the requested size and the same total. */
export const readPages = Effect.fnUntraced(function* <A, E, R>(
  list: (page: PageRequest) => Effect.Effect<Page<A>, E, R>,
  pageSize: number
) {
  const items: Array<A> = []
  const totals = new Set<number>()
  for (let page = 1; ; page++) {
    const answer: Page<A> = yield* list({ page, pageSize })
    expect(answer.page).toBe(page)
    expect(answer.pageSize).toBe(pageSize)
    totals.add(answer.totalCount)
    items.push(...answer.items)
    if (answer.items.length < pageSize) {
      expect([...totals]).toEqual([items.length])
      return items
    }
  }
})

/**
 * All entries of a list, with each page read after the previous one. `between` runs between pages. The total is not checked,
 * because the list may change.
 */
export const readOn = Effect.fnUntraced(function* <A, E, R, E2 = never, R2 = never>(
  list: (page: PageRequest) => Effect.Effect<Page<A>, E, R>,
  pageSize: number,
  ascending = false,
  between: Effect.Effect<unknown, E2, R2> = Effect.void
) {
  const items: Array<A> = []
  for (let after: Place | null = null; ;) {
    const answer: Page<A> = yield* list({
      page: 1,
      pageSize,
      after,
      sort: { by: "time", ascending },
      total: "Bounded"
    })
    expect(answer.totalIsExact).toBe(true)
    expect(answer.items.length).toBeLessThanOrEqual(pageSize)
    items.push(...answer.items)
    if (answer.next === null) return items
    expect(answer.items).toHaveLength(pageSize)
    after = answer.next
    yield* between
  }
})

/** A list of records with an id and a time, for {@link listsNewestFirst}. */
interface ListOf<Record, E> {
  readonly draft: (accountId: string, at: number) => Record
  readonly timeOf: (record: Record) => number
  readonly insert: (record: Record) => Effect.Effect<unknown, E>
  readonly list: (accountId: string, page: PageRequest) => Effect.Effect<Page<Record>, E>
}

/** Tests that a list contains only the account's records, newest first and then by id, page by page. */
export const listsNewestFirst = <Store, Record extends { readonly id: string }, E>(
  it: StorageTest,
  records: string,
  port: Effect.Effect<Store, never, StoragePorts>,
  of: (store: Store) => ListOf<Record, E>
): void => {
  it.effect(`lists an account's ${records} newest first, page by page`, () =>
    Effect.gen(function* () {
      const { draft, insert, list, timeOf } = of(yield* port)
      const accountId = yield* freshAccountId
      const drafts = times(7, (index) => draft(accountId, now + (index % 3)))
      for (const index of [3, 0, 6, 4, 1, 5, 2]) yield* insert(drafts[index]!)
      yield* insert(draft(yield* freshAccountId, now))
      const sorted = drafts.toSorted((a, b) => timeOf(b) - timeOf(a) || (a.id < b.id ? 1 : -1))
      for (const size of [2, 3, 10]) {
        expect(yield* readPages((page) => list(accountId, page), size)).toEqual(sorted)
      }
      const sizes = [1, 3, 7, 10]
      for (const size of sizes) {
        expect(yield* readOn((page) => list(accountId, page), size)).toEqual(sorted)
        expect(yield* readOn((page) => list(accountId, page), size, true)).toEqual(sorted.toReversed())
      }
      expect((yield* list(yield* freshAccountId, firstPage)).items).toEqual([])
    })
  )

  it.effect(`lists each of an account's ${records} once while others are added`, () =>
    Effect.gen(function* () {
      const { draft, insert, list } = of(yield* port)
      for (const ascending of [false, true]) {
        const accountId = yield* freshAccountId
        const drafts = times(9, (index) => draft(accountId, now + 10 * (index % 4)))
        for (const one of drafts) yield* insert(one)
        let added = 0
        const addOthers = Effect.suspend(() => insert(draft(accountId, now - 5 + 7 * added++)))
        const seen = yield* readOn((page) => list(accountId, page), 2, ascending, addOthers)
        const ids = seen.map(({ id }) => id)
        expect(new Set(ids).size).toBe(ids.length)
        expect(drafts.every(({ id }) => ids.includes(id))).toBe(true)
      }
    })
  )
}

/** Waits in real time, whatever the test's clock. */
export const pause = (millis: number): Effect.Effect<void> =>
  Effect.callback((resume) => {
    const timer = setTimeout(() => resume(Effect.void), millis)
    return Effect.sync(() => clearTimeout(timer))
  })

/** Whether an effect ends within a real time; otherwise it is interrupted. */
export const endsWithin = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  millis: number
): Effect.Effect<boolean, E, R> => Effect.raceFirst(Effect.as(effect, true), Effect.as(pause(millis), false))

/** Runs effects concurrently and returns their exits. */
export const atOnce = <A, E, R>(
  effects: ReadonlyArray<Effect.Effect<A, E, R>>
): Effect.Effect<ReadonlyArray<Exit.Exit<A, E>>, never, R> =>
  Effect.all(effects.map(Effect.exit), { concurrency: "unbounded" })

/** The values of the successes. */
export const successes = <A, E>(exits: ReadonlyArray<Exit.Exit<A, E>>): ReadonlyArray<A> =>
  exits.flatMap((exit) => (Exit.isSuccess(exit) ? [exit.value] : []))

/** Expects an effect to fail with an error of a tag; returns the error. */
export const expectFailure = Effect.fnUntraced(function* <
  A,
  E extends { readonly _tag: string },
  R,
  Tag extends E["_tag"]
>(effect: Effect.Effect<A, E, R>, tag: Tag) {
  const error = yield* Effect.flip(effect)
  expect(error._tag).toBe(tag)
  return error as Extract<E, { readonly _tag: Tag }>
})

/** Expects that every failure has an error of that tag. */
export const expectOnlyFailures = <A, E extends { readonly _tag: string }>(
  exits: ReadonlyArray<Exit.Exit<A, E>>,
  tag: E["_tag"]
): void => {
  for (const exit of exits) {
    if (Exit.isFailure(exit)) expect(Cause.squash(exit.cause)).toMatchObject({ _tag: tag })
  }
}

/** Starts an effect, waits until it calls `reached`, and interrupts it there. */
export const interruptedAt = Effect.fnUntraced(function* <A, E, R>(
  effect: (reached: Effect.Effect<void>) => Effect.Effect<A, E, R>
) {
  const signal = yield* Deferred.make<void>()
  const fiber = yield* Effect.forkChild(effect(Effect.asVoid(Deferred.succeed(signal, undefined))))
  yield* Deferred.await(signal)
  yield* Fiber.interrupt(fiber)
})

/** The elements, sorted by their ids. */
export const byId = <A extends { readonly id: string }>(rows: ReadonlyArray<A>): ReadonlyArray<A> =>
  rows.toSorted((a, b) => (a.id < b.id ? -1 : 1))

/** Random numbers from a seed (mulberry32), so that a failure can be reproduced. */
export const makeRandom = (seed: number) => {
  let state = seed
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const below = (limit: number): number => Math.floor(next() * limit)
  const pick = <A>(from: ReadonlyArray<A>): A => from[below(from.length)]!
  const some = <A>(from: ReadonlyArray<A>): ReadonlyArray<A> => from.filter(() => below(2) === 0)
  return { below, pick, some }
}

/** The random numbers of a seed. */
export type Random = ReturnType<typeof makeRandom>
