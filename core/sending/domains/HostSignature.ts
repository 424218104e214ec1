/**
 * The further signature of the installation: where its mail host is a verified domain of its own, every live message is
 * signed by it too, so that feedback loops that work by the signing domain need one registration for all companies
 * (senders.yahooinc.com/complaint-feedback-loop).
 *
 * @module
 */
import { Clock, Context, Effect, Layer } from "effect"
import { PublicEndpoint } from "../../kernel/PublicEndpoint.ts"
import { type SigningKey, signingKeys } from "../../model/Domain.ts"
import { AccountStore } from "../../ports/AccountStore.ts"
import { DomainStore } from "../../ports/DomainStore.ts"
import type { Unavailable } from "../../shared/Problem.ts"

/** How long the keys are used before they are read again, milliseconds. */
const keptMillis = 60_000

/** The keys of the mail host. */
export class HostSignature extends Context.Service<HostSignature>()("svc/sending/HostSignature", {
  make: Effect.gen(function* () {
    const accounts = yield* AccountStore
    const domains = yield* DomainStore
    const { mailHost } = yield* PublicEndpoint
    let known: { readonly keys: ReadonlyArray<SigningKey>; readonly readAt: number } | null = null

    /** The mail host as a verified domain, and the live account that has it; null where none has. */
    const find = Effect.gen(function* () {
      const found = yield* domains.verifiedByName([mailHost])
      if (found.length === 0) return null
      const owners = new Map(
        (yield* accounts.find(found.map(({ accountId }) => accountId))).map((account) => [
          account.id,
          account
        ])
      )
      // The domain of a sandbox is verified without a look at the DNS.
      for (const domain of found) {
        const owner = owners.get(domain.accountId)
        if (owner?.mode === "Live" && owner.deletedAt === null) return { domain, owner }
      }
      return null
    })

    // One signature more: by RSA, which every provider verifies.
    const read = Effect.map(find, (own) =>
      own === null ? [] : signingKeys(own.domain).filter(({ algorithm }) => algorithm === "rsa")
    )

    return {
      /** The live account of which the mail host is a verified domain; null for none. */
      owner: Effect.map(find, (own) => own?.owner ?? null),
      /** The keys that sign each live message beside those of its domain, as they were at most a minute ago. */
      keys: Effect.suspend((): Effect.Effect<ReadonlyArray<SigningKey>, Unavailable> =>
        Effect.flatMap(Clock.currentTimeMillis, (now) => {
          if (known !== null && Math.abs(now - known.readAt) < keptMillis) return Effect.succeed(known.keys)
          return Effect.tap(read, (keys) =>
            Effect.sync(() => {
              known = { keys, readAt: now }
            })
          )
        })
      )
    }
  })
}) {
  static readonly layer = Layer.effect(HostSignature, HostSignature.make)
}
