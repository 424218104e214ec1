/**
 * The use cases of operators on the suppression list.
 *
 * @module
 */
import { Clock, Context, Effect, Layer } from "effect"
import type { Actor } from "../../model/Actor.ts"
import { AuditTrail } from "../../accounts/AuditTrail.ts"
import { AddressHash } from "../../audience/contacts/AddressHash.ts"
import { type SuppressionFilter, SuppressionStore } from "../../ports/SuppressionStore.ts"
import { Atomically } from "../../kernel/atomically.ts"
import { comparableAddress, parseEmail } from "../../shared/EmailAddress.ts"
import type { Page, PageRequest } from "../../shared/Page.ts"
import { Problem, type Unavailable } from "../../shared/Problem.ts"
import { AddressReports } from "./AddressReports.ts"
import type { Suppression, SuppressionKind } from "../../model/Suppression.ts"

/** Manages the suppression lists of accounts for operators. */
export class Suppressions extends Context.Service<
  Suppressions,
  {
    /**
     * Suppresses an address. A bounce or complaint also changes the consent of the contact with the address, so that both
     * agree. If the contact was Bounced or Complained before, the entry has that kind. Fails with validation.email.
     */
    readonly add: (
      accountId: string,
      email: string,
      kind: SuppressionKind,
      actor: Actor
    ) => Effect.Effect<Suppression, Problem | Unavailable>
    /**
     * Removes an address from the list, even one whose owner was erased. The consent of its contact does not change. Fails
     * with common.not_found.
     */
    readonly remove: (
      accountId: string,
      email: string,
      actor: Actor
    ) => Effect.Effect<void, Problem | Unavailable>
    /** Lists an account's entries, newest first. The entry of an erased person has a keyed hash instead of the address. */
    readonly list: (
      accountId: string,
      page: PageRequest,
      filter?: SuppressionFilter
    ) => Effect.Effect<Page<Suppression>, Unavailable>
  }
>()("svc/sending/Suppressions", {
  make: Effect.gen(function* () {
    const store = yield* SuppressionStore
    const atomically = yield* Atomically
    const addressReports = yield* AddressReports
    const { record } = yield* AuditTrail
    const addressHash = yield* AddressHash

    return {
      add: Effect.fn("Suppressions.add")(function* (accountId, address, kind, actor) {
        const email = parseEmail(address)
        if (email === null) return yield* Problem.of("validation.email", "email")
        const createdAt = yield* Clock.currentTimeMillis
        const entry: Suppression = { accountId, email, kind, source: "Ui", createdAt }
        return yield* atomically(
          Effect.gen(function* () {
            yield* store.lock([accountId], "Listing")
            const [before] = yield* store.find([entry])
            if (kind === "Protected") yield* store.put([entry])
            else yield* addressReports.apply([{ accountId, email, kind }], createdAt, "Ui")
            const [after = entry] = yield* store.find([entry])
            // The address itself is personal data, which the audit log does not contain.
            yield* record(actor, {
              accountId,
              action: "suppression.added",
              target: after.kind,
              before: before === undefined ? null : { kind: before.kind },
              after: { kind: after.kind }
            })
            return after
          })
        )
      }),
      remove: Effect.fn("Suppressions.remove")(function* (accountId, address, actor) {
        const email = parseEmail(address)
        if (email === null) return yield* Problem.of("common.not_found")
        yield* atomically(
          Effect.gen(function* () {
            const hashesOf = yield* addressHash.all
            const entries = yield* Effect.forEach([email, ...hashesOf(accountId, email)], (name) =>
              store.remove(accountId, name)
            )
            const entry = entries.find((removed) => removed !== null)
            if (entry === undefined) return yield* Problem.of("common.not_found")
            yield* record(actor, {
              accountId,
              action: "suppression.removed",
              target: entry.kind,
              before: { kind: entry.kind },
              after: null
            })
          })
        )
      }),
      list: (accountId, page, { q = null, ...filter } = {}) =>
        store.list(accountId, page, { ...filter, q: q === null ? null : comparableAddress(q) })
    }
  })
}) {
  static readonly layer = Layer.effect(Suppressions, Suppressions.make).pipe(
    Layer.provide(AddressReports.layer)
  )
}
