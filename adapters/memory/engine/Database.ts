/**
 * Runs the statements and transactions of the memory stores, with an undo log and hooks that run after a commit.
 *
 * A statement is a synchronous function over the stores' tables, so no reader sees a partial result. Outside a transaction it
 * commits on its own, after an open transaction of another fiber has ended. Transactions run one after the other.
 *
 * @module
 */
import { Context, Effect, Exit, Layer, Semaphore } from "effect"
import { WriteConflict } from "../../../core/ports/Transaction.ts"

/** A running transaction, as the fibers in it see it. */
interface Open {
  readonly owner: object
  /** False after it has ended: a fiber that outlives its transaction is outside it again. */
  open: boolean
  /** The first conflict. Later writes may depend on rows that were not written. */
  conflict: WriteConflict | null
}

const CurrentTransaction = Context.Reference<Open | null>("svc/adapters/memory/CurrentTransaction", {
  defaultValue: () => null
})

/** A table whose type of rows is not known. */
export interface AnyTable {
  /** The account that owns all rows; null if each row names its own. */
  readonly owner: string | null
  readonly rows: () => Iterable<object>
  readonly removeWhere: (isGone: (row: object) => boolean, limit: number) => number
}

/** One database in memory. */
export class Database extends Context.Service<
  Database,
  {
    /** Every table of the database, in the order of creation. */
    readonly tables: Array<AnyTable>
    /** A table calls this for every change. `undo` reverts the change. */
    readonly changed: (undo: () => void) => void
    /** Runs `hook` after the current change is committed, never if it is rolled back. The same function runs once. */
    readonly afterCommit: (hook: () => void) => void
    /** Runs a statement that changes nothing. */
    readonly read: <A>(body: () => A) => Effect.Effect<A>
    /** Runs a statement that is written either completely or not at all. If it throws, that is a defect. */
    readonly write: <A>(body: () => A) => Effect.Effect<A>
    /** As `write`, for a statement that may throw `WriteConflict`, which then is its failure. */
    readonly writeOrConflict: <A>(body: () => A) => Effect.Effect<A, WriteConflict>
    /** `run` of the port `Transaction`. After a conflict it fails with the conflict, even if that was caught. */
    readonly transaction: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E | WriteConflict, R>
  }
>()("svc/adapters/memory/Database") {
  /** An empty database. */
  static readonly layer = Layer.sync(Database, () => make())
}

const make = (): Database["Service"] => {
  const owner = {}
  const mutex = Semaphore.makeUnsafe(1)
  const journal: Array<() => void> = []
  const hooks = new Set<() => void>()
  let busy = false

  const rollBackTo = (mark: number): void => {
    while (journal.length > mark) journal.pop()!()
  }

  const commit = (): void => {
    journal.length = 0
    const due = [...hooks]
    hooks.clear()
    for (const hook of due) hook()
  }

  const inside = (transaction: Open | null): transaction is Open =>
    transaction !== null && transaction.open && transaction.owner === owner

  const run = <A>(transaction: Open | null, body: () => A): Effect.Effect<A, WriteConflict> => {
    const mark = journal.length
    let value: A
    try {
      value = body()
    } catch (error) {
      rollBackTo(mark)
      if (transaction === null) hooks.clear()
      if (!(error instanceof WriteConflict)) return Effect.die(error)
      if (transaction !== null) transaction.conflict ??= error
      return Effect.fail(error)
    }
    if (transaction === null) commit()
    return Effect.succeed(value)
  }

  const writeOrConflict = <A>(body: () => A): Effect.Effect<A, WriteConflict> =>
    Effect.withFiber((fiber) => {
      const transaction = fiber.getRef(CurrentTransaction)
      if (inside(transaction)) return run(transaction, body)
      return busy ? mutex.withPermit(Effect.suspend(() => run(null, body))) : run(null, body)
    })

  const write = <A>(body: () => A): Effect.Effect<A> => Effect.orDie(writeOrConflict(body))

  const end = <A, E>(state: Open, exit: Exit.Exit<A, E>): Exit.Exit<A, E | WriteConflict> => {
    state.open = false
    busy = false
    if (Exit.isSuccess(exit) && state.conflict === null) {
      commit()
      return exit
    }
    rollBackTo(0)
    hooks.clear()
    return Exit.isSuccess(exit) && state.conflict !== null ? Exit.fail(state.conflict) : exit
  }

  const transaction = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | WriteConflict, R> =>
    Effect.withFiber((fiber) => {
      if (inside(fiber.getRef(CurrentTransaction))) return effect
      return mutex.withPermit(
        Effect.uninterruptibleMask((restore) => {
          const state: Open = { owner, open: true, conflict: null }
          busy = true
          return Effect.flatMap(
            Effect.exit(restore(Effect.provideService(effect, CurrentTransaction, state))),
            (exit) => end(state, exit)
          )
        })
      )
    })

  return Database.of({
    tables: [],
    changed: (undo) => {
      journal.push(undo)
    },
    afterCommit: (hook) => {
      hooks.add(hook)
    },
    read: write,
    write,
    writeOrConflict,
    transaction
  })
}
