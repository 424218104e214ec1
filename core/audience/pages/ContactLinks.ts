/**
 * Creates and verifies the links to hosted pages: the pages of a contact (confirm, preferences, unsubscribe), and the web version
 * of an email. The token in a link contains its subject, its expiry, a keyed hash of the address to which it is sent, and the
 * email that contains it. These are signed together with the link's purpose (HMAC-SHA-256), so nothing is stored for a link.
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

/** The purpose of a link to a contact's page. */
export type LinkPurpose = "confirm" | "preferences" | "unsubscribe"

/** The purpose of a signed link. */
export type SignedPurpose = LinkPurpose | "webVersion"

/** The contact for whom a link was made. */
export interface LinkTarget {
  readonly accountId: string
  readonly contactId: string
}

/** A contact, and the address to which a link is sent. */
export interface LinkRecipient extends LinkTarget {
  /** Normalized; null for a contact without an address. */
  readonly email: string | null
  /** The delivery of the email that contains the link; absent if the link is in no known email. */
  readonly deliveryId?: string
}

/** The subject of a link to a web version: a copy of a campaign. */
interface WebVersionTarget extends Omit<LinkRecipient, "contactId"> {
  readonly campaignId: string
}

/** A valid link. */
export interface ContactLink {
  /** The subject. For a web version, it has the id of the campaign in place of the contact's. */
  readonly target: LinkTarget
  /** The delivery of the email that contains the link; null if not known. */
  readonly deliveryId: string | null
  /**
   * Whether the link was made for a given address of the contact. Always false for links made before links contained the hash of
   * an address, because the address to which they were sent is not known.
   */
  readonly isFor: (email: string | null) => boolean
}

/** The path, relative to the base URL, of each of a contact's links. */
export type Links = Readonly<Record<LinkPurpose, string>>

const day = 86_400_000

/** How long a link is valid, milliseconds. People keep emails for years, and can unsubscribe with them for as long. */
export const linkLifetimes: Readonly<Record<SignedPurpose, number>> = {
  confirm: 30 * day,
  preferences: 730 * day,
  unsubscribe: 730 * day,
  webVersion: 730 * day
}

/** The path of the page for each purpose. */
export const linkPaths = { confirm: "/c", preferences: "/p", unsubscribe: "/u", webVersion: "/w" } as const

/** A timestamp has 6 bytes; an id and the hash of an address (the mark) have 16 each. A delivery's id, if any, is last. */
const timeDigits = 12
const idDigits = 32
const markDigits = 32
/**
 * The claims in tokens, as a part of a regular expression: 94 characters with a delivery, otherwise 72, and 51 in older tokens,
 * which lack the hash of the address. They begin with the account's id.
 */
export const claimPattern = "(?:[\\w-]{94}|[\\w-]{72}|[\\w-]{51})"
const tokenPattern = new RegExp(`^(${claimPattern})\\.(${signaturePattern()})$`)

/** The text that the signature of a token covers. */
export const signedText = (purpose: SignedPurpose, claim: string): string => `${purpose} ${claim}`

/** The contents of a claim. */
interface Claim {
  readonly target: LinkTarget
  readonly expiresAt: number
  /** The hash of the address to which the link was sent, as hex; empty in an older claim. */
  readonly mark: string
  readonly deliveryId: string | null
}

const encodeClaim = (
  { accountId, contactId, deliveryId = "" }: LinkRecipient,
  expiresAt: number,
  mark: string
): string => {
  const time = Math.floor(expiresAt).toString(16).padStart(timeDigits, "0")
  return toBase64Url(fromHex(`${accountId}${contactId}${time}${mark}${deliveryId}`.replaceAll("-", "")))
}

const decodeClaim = (claim: string): Claim => {
  const hex = toHex(fromBase64Url(claim))
  const timeAt = 2 * idDigits
  const markAt = timeAt + timeDigits
  const delivery = hex.slice(markAt + markDigits)
  return {
    target: {
      accountId: formatUuid(hex.slice(0, idDigits)),
      contactId: formatUuid(hex.slice(idDigits, timeAt))
    },
    expiresAt: Number.parseInt(hex.slice(timeAt, markAt), 16),
    mark: hex.slice(markAt, markAt + markDigits),
    deliveryId: delivery === "" ? null : formatUuid(delivery)
  }
}

/** The links to the hosted pages. */
export class ContactLinks extends Context.Service<
  ContactLinks,
  {
    /** Creates the links of a contact. Each is valid for its lifetime from `at` (epoch milliseconds), by default from now on. */
    readonly make: (recipient: LinkRecipient, at?: number) => Effect.Effect<Links, Unavailable>
    /** Creates the link to the web version of a campaign's copy; `at` is as for `make`. */
    readonly makeWebVersion: (target: WebVersionTarget, at?: number) => Effect.Effect<string, Unavailable>
    /** The link of a token; null if the token is forged, modified, expired or of another purpose. */
    readonly read: (purpose: SignedPurpose, token: string) => Effect.Effect<ContactLink | null, Unavailable>
  }
>()("svc/audience/ContactLinks") {
  static readonly layer = Layer.effect(
    ContactLinks,
    Effect.gen(function* () {
      const keys = yield* InstallationKeys
      const crypto = yield* Crypto

      /** The keyed hash of an address in links. It differs from the hash that is stored for an erased person. */
      const markOf = (addresses: Uint8Array, { accountId }: LinkTarget, email: string | null): string =>
        toHex(crypto.hmacSha256(addresses, `link ${accountId} ${email ?? ""}`)).slice(0, markDigits)

      /** Returns a function that creates the link for a purpose. */
      const linkMaker = Effect.fnUntraced(function* (recipient: LinkRecipient, at: number | undefined) {
        const { addresses, links } = yield* keys.get
        const mark = markOf(addresses, recipient, recipient.email)
        const now = at ?? (yield* Clock.currentTimeMillis)
        return (purpose: SignedPurpose): string => {
          const claim = encodeClaim(recipient, now + linkLifetimes[purpose], mark)
          return `${linkPaths[purpose]}/${claim}.${signWith(crypto, links, signedText(purpose, claim))}`
        }
      })

      return ContactLinks.of({
        make: Effect.fn("ContactLinks.make")(function* (recipient, at) {
          const linkOf = yield* linkMaker(recipient, at)
          return {
            confirm: linkOf("confirm"),
            preferences: linkOf("preferences"),
            unsubscribe: linkOf("unsubscribe")
          }
        }),
        makeWebVersion: Effect.fn("ContactLinks.makeWebVersion")(function* ({ campaignId, ...copy }, at) {
          return (yield* linkMaker({ ...copy, contactId: campaignId }, at))("webVersion")
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
          const { addresses, deliveryId, mark, target } = proven
          return {
            target,
            deliveryId,
            isFor: (email) => crypto.constantTimeEquals(markOf(addresses, target, email), mark)
          }
        })
      })
    })
  )
}
