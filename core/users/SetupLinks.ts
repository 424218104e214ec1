/**
 * Set-up links. With one, an invited user, the first operator, or a user who lost their password sets a password, once. The token
 * is in the fragment of the link, so that it appears in no server log.
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

/** The purpose and subject of a new link. */
export type NewLink = Pick<SetupLink, "kind" | "userId" | "email" | "companyId">

/** The company that vouches for what a link grants; null if the operators or the owner of the address vouch for it. */
export const inviterOf = ({ companyId, kind }: NewLink): string | null =>
  kind === "Invitation" ? companyId : null

/** Set-up links. */
export class SetupLinks extends Context.Service<
  SetupLinks,
  {
    /**
     * Creates a link, which replaces all earlier links of its user (or all links without a user). An invitation by a company
     * replaces only earlier ones of that company. Returns the URL, which cannot be read again.
     */
    readonly make: (link: NewLink) => Effect.Effect<string, Unavailable>
    /**
     * Like `make`, for an email of the installation. The returned and stored URL is not valid;
     * `core/accounts/SetupTokens.ts: revealSetupLinks` makes it valid when the message is composed.
     */
    readonly makeMailed: (link: NewLink, keys: KeyRing) => Effect.Effect<string, Unavailable>
    /** The link of a token, which stays valid; users.link_invalid whether it is unknown, expired or used. */
    readonly find: (token: string) => Effect.Effect<SetupLink, Problem | Unavailable>
    /** Marks a link as used, in the caller's transaction; users.link_invalid if another call was first. */
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
        yield* store.removeOf(link.userId, inviterOf(link))
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
