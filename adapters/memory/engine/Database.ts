/**
 * What the memory stores share: one writer at a time, an undo log, and what is done after a commit.
 *
 * A statement is a synchronous function over the stores' tables, so nobody sees half of it. Outside a transaction it
 * commits by itself; it waits while somebody else's transaction is open. Transactions run one after the other.
 *
 * @module
 */
import { Context, Effect, Exit, Layer, Semaphore } from "effect"
import { WriteConflict } from "../../../core/ports/Transaction.ts"

/** A transaction under way, as the fibers inside it know it. */
interface Open {
  readonly owner: object
  /** False once it ended: a fiber that outlives its transaction is outside again. */
  open: boolean
  /** The first write the store refused. What came after it was decided on something untrue. */
  refused: WriteConflict | null
}

const CurrentTransaction = Context.Reference<Open | null>("svc/adapters/memory/CurrentTransaction", {
  defaultValue: () => null
})

/** One database in memory. */
export class Database extends Context.Service<
  Database,
  {
    /** Every table over it, in the order they were made: for a look at all there is. */
    readonly tables: Array<{ readonly rows: () => Iterable<object> }>
    /** Called by a table for every change it makes: `undo` takes the change back. */
    readonly changed: (undo: () => void) => void
    /** Runs `hook` once the change under way is committed, never when it is rolled back; once for each function. */
    readonly afterCommit: (hook: () => void) => void
    /** Runs a statement that changes nothing. */
    readonly read: <A>(body: () => A) => Effect.Effect<A>
    /** Runs a statement, all or nothing; whatever it throws is a defect. */
    readonly write: <A>(body: () => A) => Effect.Effect<A>
    /** As `write`, of a statement that may throw `WriteConflict`, which is the failure then. */
    readonly writeUnlessRefused: <A>(body: () => A) => Effect.Effect<A, WriteConflict>
    /** The port `Transaction`'s `run`. Once a write was refused it ends in that refusal, even if that was caught. */
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
      if (transaction !== null) transaction.refused ??= error
      return Effect.fail(error)
    }
    if (transaction === null) commit()
    return Effect.succeed(value)
  }

  const writeUnlessRefused = <A>(body: () => A): Effect.Effect<A, WriteConflict> =>
    Effect.withFiber((fiber) => {
      const transaction = fiber.getRef(CurrentTransaction)
      if (inside(transaction)) return run(transaction, body)
      return busy ? mutex.withPermit(Effect.suspend(() => run(null, body))) : run(null, body)
    })

  const write = <A>(body: () => A): Effect.Effect<A> => Effect.orDie(writeUnlessRefused(body))

  const end = <A, E>(state: Open, exit: Exit.Exit<A, E>): Exit.Exit<A, E | WriteConflict> => {
    state.open = false
    busy = false
    if (Exit.isSuccess(exit) && state.refused === null) {
      commit()
      return exit
    }
    rollBackTo(0)
    hooks.clear()
    return Exit.isSuccess(exit) && state.refused !== null ? Exit.fail(state.refused) : exit
  }

  const transaction = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | WriteConflict, R> =>
    Effect.withFiber((fiber) => {
      if (inside(fiber.getRef(CurrentTransaction))) return effect
      return mutex.withPermit(
        Effect.uninterruptibleMask((restore) => {
          const state: Open = { owner, open: true, refused: null }
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
    writeUnlessRefused,
    transaction
  })
}
