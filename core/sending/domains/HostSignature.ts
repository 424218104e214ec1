/**
 * The additional signature of the installation. If the mail host is itself a verified domain of the installation, every live
 * message is also signed by it. Feedback loops that identify senders by the signing domain then need only one registration for
 * all companies (senders.yahooinc.com/complaint-feedback-loop).
 *
 * @module
 */
import { Clock, Context, Effect, Layer } from "effect"
import { PublicEndpoint } from "../../kernel/PublicEndpoint.ts"
import { type SigningKey, signingKeys } from "../../model/Domain.ts"
import { AccountStore } from "../../ports/AccountStore.ts"
import { DomainStore } from "../../ports/DomainStore.ts"
import type { Unavailable } from "../../shared/Problem.ts"

/** How long the keys are cached, milliseconds. */
const keptMillis = 60_000

/** Provides the keys of the mail host. */
export class HostSignature extends Context.Service<HostSignature>()("svc/sending/HostSignature", {
  make: Effect.gen(function* () {
    const accounts = yield* AccountStore
    const domains = yield* DomainStore
    const { mailHost } = yield* PublicEndpoint
    let known: { readonly keys: ReadonlyArray<SigningKey>; readonly readAt: number } | null = null

    /** The mail host as a verified domain, with the live account that has it; null if none has. */
    const find = Effect.gen(function* () {
      const found = yield* domains.verifiedByName([mailHost])
      if (found.length === 0) return null
      const owners = new Map(
        (yield* accounts.find(found.map(({ accountId }) => accountId))).map((account) => [
          account.id,
          account
        ])
      )
      // The domain of a sandbox is verified without checking the DNS.
      for (const domain of found) {
        const owner = owners.get(domain.accountId)
        if (owner?.mode === "Live" && owner.deletedAt === null) return { domain, owner }
      }
      return null
    })

    // A single additional signature, by RSA, which every provider verifies.
    const read = Effect.map(find, (own) =>
      own === null ? [] : signingKeys(own.domain).filter(({ algorithm }) => algorithm === "rsa")
    )

    return {
      /** The live account that has the mail host as a verified domain; null if there is none. */
      owner: Effect.map(find, (own) => own?.owner ?? null),
      /** The keys that sign each live message in addition to those of its domain. They are at most a minute old. */
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
