/**
 * Stores the entries that streams show in memory.
 *
 * @module
 */
import { Effect, Layer, Queue as Mailbox, type Scope } from "effect"
import type { LiveEntry } from "../../core/model/LiveEntry.ts"
import { type ListenedAccount, LiveEntries, type LiveLease } from "../../core/ports/LiveEntries.ts"
import { Database } from "./engine/Database.ts"
import { byField, SortedIndex } from "./engine/SortedIndex.ts"
import { frozen, Table } from "./engine/Table.ts"

interface AccountRow extends ListenedAccount {
  readonly last: number
  readonly floor: number
}

interface StreamRow {
  readonly accountId: string
  readonly id: string
  readonly until: number
}

interface EntryRow extends LiveEntry {
  readonly accountId: string
  readonly onceKey: string | null
  readonly at: number
}

const streamKey = ({ accountId, id }: { readonly accountId: string; readonly id: string }): string =>
  `${accountId} ${id}`
const entryKey = ({ accountId, number }: EntryRow): string => `${accountId} ${number}`

/** The name under which changes of `listened` are awaited. */
const listenersName = ""

/** The port over a shared {@link Database}. */
export const layer = Effect.gen(function* () {
  const database = yield* Database
  const accounts = new Table<AccountRow>(database, { key: ({ accountId }) => accountId })
  const ofAccount = new SortedIndex<StreamRow>(({ accountId }) => accountId, byField("until"))
  const streams = new Table<StreamRow>(database, { key: streamKey, indexes: [ofAccount] })
  const order = new SortedIndex<EntryRow>(
    ({ accountId }) => accountId,
    (a, b) => a.number - b.number
  )
  const entries = new Table<EntryRow>(database, { key: entryKey, indexes: [order] })
  const waiting = new Map<string, Set<Mailbox.Queue<void>>>()

  const wake = (name: string): void =>
    database.afterCommit(() => {
      for (const mailbox of waiting.get(name) ?? []) Mailbox.offerUnsafe(mailbox, undefined)
    })

  const wakeups = (name: string): Effect.Effect<Effect.Effect<void>, never, Scope.Scope> =>
    Effect.gen(function* () {
      const mailbox = yield* Mailbox.dropping<void>(1)
      yield* Effect.acquireRelease(
        Effect.sync(() => {
          const own = waiting.get(name) ?? new Set()
          waiting.set(name, own.add(mailbox))
        }),
        () =>
          Effect.sync(() => {
            const own = waiting.get(name)
            own?.delete(mailbox)
            if (own?.size === 0) waiting.delete(name)
          })
      )
      return Mailbox.take(mailbox)
    })

  const removeEntries = (rows: ReadonlyArray<EntryRow>): void => void entries.removeMany(rows.map(entryKey))

  /** Starts storing the account's changes. */
  const listen = (accountId: string, { accountUntil, now }: LiveLease): void => {
    const before = accounts.get(accountId)
    if (before !== undefined && before.until > now) {
      accounts.replace({ ...before, until: Math.max(before.until, accountUntil) })
      return
    }
    const last = (before?.last ?? 0) + 1
    const row = frozen({ accountId, last, floor: last, since: now, until: accountUntil })
    if (before === undefined) accounts.insert(row)
    else accounts.replace(row)
    removeEntries(order.rows(accountId))
    wake(listenersName)
  }

  const putStream = (row: StreamRow): void => {
    if (streams.get(streamKey(row)) === undefined) streams.insert(frozen(row))
    else streams.replace(frozen(row))
  }

  return LiveEntries.of({
    open: (stream, lease, limit) =>
      database.write(() => {
        const { accountId } = stream
        listen(accountId, lease)
        if (ofAccount.rows(accountId).filter(({ until }) => until > lease.now).length >= limit) return false
        putStream({ ...stream, until: lease.streamUntil })
        return true
      }),
    renew: (stream, lease) =>
      database.write(() => {
        listen(stream.accountId, lease)
        putStream({ ...stream, until: lease.streamUntil })
      }),
    close: (stream) => Effect.asVoid(database.write(() => streams.remove(streamKey(stream)))),
    listened: (now) =>
      database.read(() =>
        [...accounts.rows()]
          .filter(({ until }) => until > now)
          .map(({ accountId, since, until }) => ({ accountId, since, until }))
      ),
    append: (accountId, added, now, kept) =>
      database.write(() => {
        const account = accounts.get(accountId)
        if (account === undefined || account.until <= now) return
        const known = new Set(order.rows(accountId).map(({ onceKey }) => onceKey))
        let { last } = account
        for (const { onceKey, ...entry } of added) {
          if (onceKey !== null && known.has(onceKey)) continue
          known.add(onceKey)
          entries.insert(frozen({ ...entry, onceKey, accountId, number: ++last, at: now }))
        }
        if (last === account.last) return
        accounts.replace(frozen({ ...account, last }))
        const rows = order.rows(accountId)
        removeEntries(rows.slice(0, Math.max(0, rows.length - kept)))
        wake(accountId)
      }),
    read: (accountId, after, since, limit) =>
      database.read(() => {
        const account = accounts.get(accountId)
        const found = order.rows(accountId).filter(({ at, number }) => number > after && at >= since)
        return {
          entries: found.slice(0, limit).map(({ body, change, itemId, number, topic }) => ({
            number,
            topic,
            change,
            itemId,
            body
          })),
          last: account?.last ?? 0,
          floor: account?.floor ?? 0
        }
      }),
    clear: (accountId) =>
      database.write(() => {
        const account = accounts.get(accountId)
        if (account === undefined) return
        const last = account.last + 1
        accounts.replace(frozen({ ...account, last, floor: last }))
        removeEntries(order.rows(accountId))
        wake(accountId)
      }),
    wakeups,
    listeners: wakeups(listenersName),
    prune: (before, limit) =>
      database.write(() => {
        streams.removeWhere(({ until }) => until <= before, limit)
        return entries.removeWhere(({ at }) => at < before, limit)
      })
  })
}).pipe(Layer.effect(LiveEntries))
