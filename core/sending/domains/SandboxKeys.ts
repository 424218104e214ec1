/**
 * The DKIM keys of sandbox domains. A domain that has none yet, such as the first sandbox's or one of an earlier version, gets
 * its keys when they are first needed, since generating an RSA key takes a fifth of a second.
 *
 * @module
 */
import { Context, Effect, Layer } from "effect"
import type { DkimAlgorithm, SendingDomain } from "../../model/Domain.ts"
import { Atomically } from "../../kernel/atomically.ts"
import { PublicEndpoint } from "../../kernel/PublicEndpoint.ts"
import { DomainStore } from "../../ports/DomainStore.ts"
import type { KeyMaker } from "../../ports/KeyMaker.ts"
import type { SecretBox } from "../../ports/SecretBox.ts"
import type { Unavailable } from "../../shared/Problem.ts"
import { dkimAlgorithms, makeDkimKeys } from "./DkimKeys.ts"
import { selectorOf } from "./DomainRecords.ts"
import { refreshRecords } from "./DomainRules.ts"

/** The maximum number of domains that get keys in one call. The others get theirs in later calls. */
const maxAtOnce = 10

/** The selectors of the keys that sign a sandbox domain's messages, even if it has none yet. */
export const sandboxSelectors = ({ id, keys }: Pick<SendingDomain, "id" | "keys">): ReadonlyArray<string> =>
  keys.length > 0
    ? keys.filter(({ state }) => state === "Active").map(({ selector }) => selector)
    : dkimAlgorithms.map((algorithm: DkimAlgorithm) => selectorOf(id, 1, algorithm))

/** Gives sandbox domains their keys. */
export class SandboxKeys extends Context.Service<
  SandboxKeys,
  {
    /**
     * Returns the domains in order, with their keys and records. Up to 10 domains without keys get them, except those removed
     * meanwhile. Must be called outside transactions, and only with domains of sandbox accounts.
     */
    readonly ensure: (
      domains: ReadonlyArray<SendingDomain>
    ) => Effect.Effect<ReadonlyArray<SendingDomain>, Unavailable>
  }
>()("svc/sending/SandboxKeys", {
  make: Effect.gen(function* () {
    const store = yield* DomainStore
    const atomically = yield* Atomically
    const receiver = yield* PublicEndpoint
    const keyPorts = yield* Effect.context<KeyMaker | SecretBox>()

    const give = Effect.fnUntraced(function* (domain: SendingDomain) {
      const keys = yield* Effect.provide(makeDkimKeys(domain, "Active"), keyPorts)
      return yield* atomically(
        Effect.gen(function* () {
          const [locked] = yield* store.lock([domain])
          // The domain was removed, or another call has given it keys.
          if (locked === undefined || locked.keys.length > 0) return locked ?? domain
          const keyed = refreshRecords({ ...locked, keys }, receiver)
          yield* store.save([keyed])
          return keyed
        })
      )
    })

    return {
      ensure: Effect.fn("SandboxKeys.ensure")(function* (domains) {
        const without = domains.filter(({ keys }) => keys.length === 0).slice(0, maxAtOnce)
        const given = new Map(
          (yield* Effect.forEach(without, give, { concurrency: 2 })).map((domain) => [domain.id, domain])
        )
        return domains.map((domain) => given.get(domain.id) ?? domain)
      })
    }
  })
}) {
  static readonly layer = Layer.effect(SandboxKeys, SandboxKeys.make)
}
