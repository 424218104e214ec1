/**
 * Creates and verifies the links to a contact's hosted pages: confirm, preferences, unsubscribe. A link carries a token
 * with the contact and the expiry, signed together with the link's purpose (HMAC-SHA-256), so nothing is stored for it.
 *
 * @module
 */
import { Clock, Context, Effect, Layer } from "effect"
import { InstallationKeys } from "../../accounts/InstallationKeys.ts"
import { isSignedBy, signaturePattern, signWith } from "../../accounts/KeyRing.ts"
import { Crypto } from "../../ports/Crypto.ts"
import { fromBase64Url, fromHex, toBase64Url, toHex } from "../../shared/Bytes.ts"
import { formatUuid } from "../../shared/Uuid.ts"
import type { Unavailable } from "../../shared/Problem.ts"

/** The purpose of a link. */
export type LinkPurpose = "confirm" | "preferences" | "unsubscribe"

/** The contact a link was made for. */
export interface LinkTarget {
  readonly accountId: string
  readonly contactId: string
}

/** A path for each purpose, relative to the base URL. */
export type Links = Readonly<Record<LinkPurpose, string>>

const day = 86_400_000

/** How long a link is valid, milliseconds. People keep emails for years, and can unsubscribe from them as long. */
export const linkLifetimes: Readonly<Record<LinkPurpose, number>> = {
  confirm: 30 * day,
  preferences: 730 * day,
  unsubscribe: 730 * day
}

/** The path of each purpose's page. */
export const linkPaths = { confirm: "/c", preferences: "/p", unsubscribe: "/u" } as const

/** A timestamp takes 6 bytes; with two ids of 16 bytes that is 51 characters. */
const timeDigits = 12
/** The claims of tokens, as a part of a regular expression. They begin with the account's id. */
export const claimPattern = "[\\w-]{51}"
const tokenPattern = new RegExp(`^(${claimPattern})\\.(${signaturePattern()})$`)

/** What the signature of a token signs. */
export const signedText = (purpose: LinkPurpose, claim: string): string => `${purpose} ${claim}`

const encodeClaim = ({ accountId, contactId }: LinkTarget, expiresAt: number): string => {
  const ids = `${accountId}${contactId}`.replaceAll("-", "")
  const hex = ids + Math.floor(expiresAt).toString(16).padStart(timeDigits, "0")
  return toBase64Url(fromHex(hex))
}

const decodeClaim = (claim: string): { readonly target: LinkTarget; readonly expiresAt: number } => {
  const hex = toHex(fromBase64Url(claim))
  return {
    target: { accountId: formatUuid(hex.slice(0, 32)), contactId: formatUuid(hex.slice(32, 64)) },
    expiresAt: Number.parseInt(hex.slice(64), 16)
  }
}

/** The links to the hosted pages. */
export class ContactLinks extends Context.Service<
  ContactLinks,
  {
    /** Creates the links of a contact. Each is valid for its lifetime from now on. */
    readonly make: (target: LinkTarget) => Effect.Effect<Links, Unavailable>
    /** The contact of a token; null for a token that is forged, modified, expired or of another purpose. */
    readonly read: (purpose: LinkPurpose, token: string) => Effect.Effect<LinkTarget | null, Unavailable>
  }
>()("svc/audience/ContactLinks") {
  static readonly layer = Layer.effect(
    ContactLinks,
    Effect.gen(function* () {
      const keys = yield* InstallationKeys
      const crypto = yield* Crypto

      return ContactLinks.of({
        make: Effect.fn("ContactLinks.make")(function* (target) {
          const { links } = yield* keys.get
          const now = yield* Clock.currentTimeMillis
          const linkOf = (purpose: LinkPurpose): string => {
            const claim = encodeClaim(target, now + linkLifetimes[purpose])
            return `${linkPaths[purpose]}/${claim}.${signWith(crypto, links, signedText(purpose, claim))}`
          }
          return {
            confirm: linkOf("confirm"),
            preferences: linkOf("preferences"),
            unsubscribe: linkOf("unsubscribe")
          }
        }),
        read: Effect.fn("ContactLinks.read")(function* (purpose, token) {
          const [, claim, signature] = tokenPattern.exec(token) ?? []
          if (claim === undefined || signature === undefined) return null
          const proven = yield* keys.prove(({ links }) =>
            isSignedBy(crypto, links, signedText(purpose, claim), signature) ? decodeClaim(claim) : null
          )
          if (proven === null) return null
          const { expiresAt, target } = proven
          return expiresAt <= (yield* Clock.currentTimeMillis) ? null : target
        })
      })
    })
  )
}
