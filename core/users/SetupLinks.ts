/**
 * Set-up links: with one, an invited user, the first operator or a user who lost the password sets one, once. The token is in
 * the fragment of the link, so that no log of a server holds it.
 *
 * @module
 */
import { Clock, Context, Effect, Layer } from "effect"
import { PublicEndpoint } from "../kernel/PublicEndpoint.ts"
import type { SetupKind, SetupLink } from "../model/User.ts"
import type { KeyRing } from "../accounts/KeyRing.ts"
import {
  newMailedToken,
  newSetupToken,
  type SetupToken,
  setupTokenPattern,
  setupUrl
} from "../accounts/SetupTokens.ts"
import { Crypto } from "../ports/Crypto.ts"
import { SetupLinkStore } from "../ports/SetupLinkStore.ts"
import { Problem, type Unavailable } from "../shared/Problem.ts"

const hourMillis = 3_600_000

/** How long each kind of link is valid, milliseconds. */
export const linkLifetimes: Readonly<Record<SetupKind, number>> = {
  Invitation: 72 * hourMillis,
  FirstStart: 24 * hourMillis,
  Reset: hourMillis
}

/** What a new link is for. */
export type NewLink = Pick<SetupLink, "kind" | "userId" | "email" | "companyId">

/** Set-up links. */
export class SetupLinks extends Context.Service<
  SetupLinks,
  {
    /** Makes a link, the only valid one of its user, or without a user the only one. Returns its URL, this once. */
    readonly make: (link: NewLink) => Effect.Effect<string, Unavailable>
    /**
     * As `make`, for an email of the installation: the URL is not valid as it is returned and stored, but as
     * `core/accounts/SetupTokens.ts: revealSetupLinks` makes it when the message is composed.
     */
    readonly makeMailed: (link: NewLink, keys: KeyRing) => Effect.Effect<string, Unavailable>
    /** The link of a token, which stays valid; users.link_invalid for an unknown, expired or used one alike. */
    readonly find: (token: string) => Effect.Effect<SetupLink, Problem | Unavailable>
    /** Uses a link up, in the caller's transaction; users.link_invalid where another call was first. */
    readonly use: (link: SetupLink) => Effect.Effect<void, Problem | Unavailable>
  }
>()("svc/users/SetupLinks") {
  static readonly layer = Layer.effect(
    SetupLinks,
    Effect.gen(function* () {
      const crypto = yield* Crypto
      const store = yield* SetupLinkStore
      const { baseUrl } = yield* PublicEndpoint

      const add = Effect.fnUntraced(function* (link: NewLink, { shown, token }: SetupToken) {
        const createdAt = yield* Clock.currentTimeMillis
        yield* store.removeOf(link.userId)
        yield* store.insert({
          ...link,
          hash: crypto.sha256Hex(token),
          expiresAt: createdAt + linkLifetimes[link.kind],
          usedAt: null,
          createdAt
        })
        return setupUrl(baseUrl()) + shown
      })

      return SetupLinks.of({
        make: Effect.fn("SetupLinks.make")((link) => Effect.suspend(() => add(link, newSetupToken(crypto)))),
        makeMailed: Effect.fn("SetupLinks.makeMailed")((link, keys) =>
          Effect.suspend(() => add(link, newMailedToken(crypto, keys)))
        ),
        find: Effect.fn("SetupLinks.find")(function* (token) {
          const now = yield* Clock.currentTimeMillis
          const link = setupTokenPattern.test(token) ? yield* store.find(crypto.sha256Hex(token)) : null
          if (link === null || link.usedAt !== null || link.expiresAt <= now) {
            return yield* Problem.of("users.link_invalid")
          }
          return link
        }),
        use: Effect.fn("SetupLinks.use")(function* ({ hash }) {
          const isFirst = yield* store.use(hash, yield* Clock.currentTimeMillis)
          if (!isFirst) return yield* Problem.of("users.link_invalid")
        })
      })
    })
  )
}
