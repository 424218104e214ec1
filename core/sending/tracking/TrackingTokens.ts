/**
 * Creates and reads the tokens of pixels and links. A token contains the delivery and, for a link, its URL. It is signed with
 * HMAC-SHA-256, so that no one else can create a link to another URL (docs/contributing/decisions.md 5). Nothing is stored for
 * tokens.
 *
 * @module
 */
import { isSignedBy, type KeyRing, signaturePattern, signWith } from "../../accounts/KeyRing.ts"
import type { Crypto } from "../../ports/Crypto.ts"
import type { DeliveryRef } from "../../ports/SubmissionStore.ts"
import { fromBase64Url, fromHex, toBase64Url, toHex } from "../../shared/Bytes.ts"
import { linkDigits } from "../templates/LinkNames.ts"

/** The keys and algorithm that sign tokens. */
export interface TrackingSigner {
  readonly crypto: Crypto["Service"]
  /** The `tracking` keys of InstallationKeys. */
  readonly keys: KeyRing
}

/** The content of a link's token. */
export interface ClickClaim {
  readonly delivery: DeliveryRef
  /** The URL of the link. */
  readonly url: string
  /** The link's name if it is not derived from its URL; otherwise null. */
  readonly name: string | null
  /** Whether opens of the email are tracked. A click then counts as an open, whether or not images were loaded. */
  readonly opens: boolean
  /** Whether the email has exactly two different links. Visits to both within seconds are then a program's. */
  readonly isPair: boolean
}

/** The destination of a link: a link of the email, or the trap link, which people cannot see. */
export type FollowedLink =
  | ({ readonly _tag: "Link" } & ClickClaim)
  | ({ readonly _tag: "Trap" } & Pick<ClickClaim, "delivery" | "opens">)

/** Two ids of 16 bytes, as base64url. */
const idsLength = 43
/** 128 of the MAC's 256 bits, so that links stay short; guessing remains infeasible (RFC 2104, 5). */
const macBytes = 16
const signature = signaturePattern(macBytes)
const openToken = new RegExp(`^([\\w-]{43})\\.(${signature})$`)
/** `2` after the ids means that the email has two links; `-` precedes a name. */
const clickToken = new RegExp(
  `^([oc][\\w-]{43}(2?)(?:-([0-9a-f]{${linkDigits}}))?\\.([\\w-]+))\\.(${signature})$`
)

/** `T` if opens of the email are tracked. */
const trapToken = new RegExp(`^([tT][\\w-]{${idsLength}})\\.(${signature})$`)

const macOf = ({ crypto, keys }: TrackingSigner, kind: "open" | "click", claim: string): string =>
  signWith(crypto, keys, `${kind} ${claim}`, macBytes)

const isOurs = ({ crypto, keys }: TrackingSigner, kind: "open" | "click", claim: string, mac: string) =>
  isSignedBy(crypto, keys, `${kind} ${claim}`, mac, macBytes)

const idsOf = ({ accountId, id }: DeliveryRef): string =>
  toBase64Url(fromHex(`${accountId}${id}`.replaceAll("-", "")))

const refOf = (ids: string): DeliveryRef => {
  const hex = toHex(fromBase64Url(ids))
  return { accountId: uuidOf(hex.slice(0, 32)), id: uuidOf(hex.slice(32, 64)) }
}

const uuidOf = (hex: string): string => hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5")

/** The token of a delivery's open pixel. */
export const makeOpenToken = (signer: TrackingSigner, delivery: DeliveryRef): string => {
  const ids = idsOf(delivery)
  return `${ids}.${macOf(signer, "open", ids)}`
}

/** Returns a function that creates the token of each link of a delivery. */
export const makeClickTokens = (
  signer: TrackingSigner,
  { delivery, isPair, opens }: Omit<ClickClaim, "name" | "url">
): ((url: string, name?: string) => string) => {
  const about = `${opens ? "o" : "c"}${idsOf(delivery)}${isPair ? "2" : ""}`
  const encoder = new TextEncoder()
  return (url, name) => {
    const claim = `${about}${name === undefined ? "" : `-${name}`}.${toBase64Url(encoder.encode(url))}`
    return `${claim}.${macOf(signer, "click", claim)}`
  }
}

/** The token of a delivery's trap link. */
export const makeTrapToken = (
  signer: TrackingSigner,
  { delivery, opens }: Pick<ClickClaim, "delivery" | "opens">
): string => {
  const claim = `${opens ? "T" : "t"}${idsOf(delivery)}`
  return `${claim}.${macOf(signer, "click", claim)}`
}

/** The delivery in an open pixel's token; null for an invalid token. */
export const readOpenToken = (signer: TrackingSigner, token: string): DeliveryRef | null => {
  const [, ids, mac] = openToken.exec(token) ?? []
  if (ids === undefined || mac === undefined) return null
  return isOurs(signer, "open", ids, mac) ? refOf(ids) : null
}

/** The destination in a link's token; null for an invalid token. */
export const readLinkToken = (signer: TrackingSigner, token: string): FollowedLink | null => {
  const [, trap, mac] = trapToken.exec(token) ?? []
  if (trap !== undefined && mac !== undefined) {
    if (!isOurs(signer, "click", trap, mac)) return null
    return { _tag: "Trap", delivery: refOf(trap.slice(1)), opens: trap.startsWith("T") }
  }
  const claim = readClickToken(signer, token)
  return claim === null ? null : { _tag: "Link", ...claim }
}

/** The content of a link's token; null for an invalid token. */
export const readClickToken = (signer: TrackingSigner, token: string): ClickClaim | null => {
  const [, claim, two, name, encoded, mac] = clickToken.exec(token) ?? []
  if (claim === undefined || encoded === undefined || mac === undefined) return null
  if (!isOurs(signer, "click", claim, mac)) return null
  const url = new TextDecoder("utf-8", { fatal: false }).decode(fromBase64Url(encoded))
  return {
    delivery: refOf(claim.slice(1, idsLength + 1)),
    url,
    name: name ?? null,
    opens: claim.startsWith("o"),
    isPair: two !== ""
  }
}
