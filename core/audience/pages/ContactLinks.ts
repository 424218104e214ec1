/**
 * Creates and verifies the links to a contact's hosted pages: confirm, preferences, unsubscribe. A link carries a token
 * with the contact, the expiry and a keyed hash of the address it is sent to, signed together with the link's purpose
 * (HMAC-SHA-256), so nothing is stored for it.
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

/** What a link is made for: a contact, at the address the link is sent to. */
export interface LinkRecipient extends LinkTarget {
  /** Normalized; null for a contact without an address. */
  readonly email: string | null
}

/** A valid link. */
export interface ContactLink {
  readonly target: LinkTarget
  /**
   * Whether it was made for that address of the contact. Never for a link made before links had the mark of an address: what
   * it was sent to is not known.
   */
  readonly isFor: (email: string | null) => boolean
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

/** A timestamp takes 6 bytes, an id and the mark of an address 16 each. */
const timeDigits = 12
const idDigits = 32
const markDigits = 32
/**
 * The claims of tokens, as a part of a regular expression: 72 characters, 51 for an older one without the mark of its
 * address. They begin with the account's id.
 */
export const claimPattern = "(?:[\\w-]{72}|[\\w-]{51})"
const tokenPattern = new RegExp(`^(${claimPattern})\\.(${signaturePattern()})$`)

/** What the signature of a token signs. */
export const signedText = (purpose: LinkPurpose, claim: string): string => `${purpose} ${claim}`

/** What a claim says. */
interface Claim {
  readonly target: LinkTarget
  readonly expiresAt: number
  /** Of the address that the link was sent to, as hex; empty in an older claim. */
  readonly mark: string
}

const encodeClaim = ({ accountId, contactId }: LinkTarget, expiresAt: number, mark: string): string => {
  const ids = `${accountId}${contactId}`.replaceAll("-", "")
  const hex = ids + Math.floor(expiresAt).toString(16).padStart(timeDigits, "0") + mark
  return toBase64Url(fromHex(hex))
}

const decodeClaim = (claim: string): Claim => {
  const hex = toHex(fromBase64Url(claim))
  const timeAt = 2 * idDigits
  return {
    target: {
      accountId: formatUuid(hex.slice(0, idDigits)),
      contactId: formatUuid(hex.slice(idDigits, timeAt))
    },
    expiresAt: Number.parseInt(hex.slice(timeAt, timeAt + timeDigits), 16),
    mark: hex.slice(timeAt + timeDigits)
  }
}

/** The links to the hosted pages. */
export class ContactLinks extends Context.Service<
  ContactLinks,
  {
    /** Creates the links of a contact. Each is valid for its lifetime, from `at` (epoch milliseconds) or from now on. */
    readonly make: (recipient: LinkRecipient, at?: number) => Effect.Effect<Links, Unavailable>
    /** The link of a token; null for a token that is forged, modified, expired or of another purpose. */
    readonly read: (purpose: LinkPurpose, token: string) => Effect.Effect<ContactLink | null, Unavailable>
  }
>()("svc/audience/ContactLinks") {
  static readonly layer = Layer.effect(
    ContactLinks,
    Effect.gen(function* () {
      const keys = yield* InstallationKeys
      const crypto = yield* Crypto

      /** A keyed hash of an address, for links alone: the hash that remains of an erased person is another one. */
      const markOf = (addresses: Uint8Array, { accountId }: LinkTarget, email: string | null): string =>
        toHex(crypto.hmacSha256(addresses, `link ${accountId} ${email ?? ""}`)).slice(0, markDigits)

      return ContactLinks.of({
        make: Effect.fn("ContactLinks.make")(function* (recipient, at) {
          const { addresses, links } = yield* keys.get
          const mark = markOf(addresses, recipient, recipient.email)
          const now = at ?? (yield* Clock.currentTimeMillis)
          const linkOf = (purpose: LinkPurpose): string => {
            const claim = encodeClaim(recipient, now + linkLifetimes[purpose], mark)
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
          const proven = yield* keys.prove(({ addresses, links }) =>
            isSignedBy(crypto, links, signedText(purpose, claim), signature)
              ? { ...decodeClaim(claim), addresses }
              : null
          )
          if (proven === null || proven.expiresAt <= (yield* Clock.currentTimeMillis)) return null
          const { addresses, mark, target } = proven
          return {
            target,
            isFor: (email) => crypto.constantTimeEquals(markOf(addresses, target, email), mark)
          }
        })
      })
    })
  )
}
