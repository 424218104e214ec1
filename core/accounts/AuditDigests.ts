/**
 * The keyed digests of the audit log, which prove that the entries of a day are unchanged. An entry from which a person was
 * erased keeps the digest of what it held (docs/contributing/people.md 6).
 *
 * @module
 */
import { actorText } from "../model/Actor.ts"
import type { AuditEntry } from "../ports/AuditLog.ts"
import type { Crypto } from "../ports/Crypto.ts"
import type { AuditSeal } from "../ports/SealStore.ts"
import { toBase64Url } from "../shared/Bytes.ts"
import type { Json } from "../shared/Json.ts"

type Hash = (text: string) => string

/** Makes a digest function with a key. */
export const digestsWith = (crypto: Crypto["Service"], key: Uint8Array): Hash => {
  return (text) => toBase64Url(crypto.hmacSha256(key, text))
}

/** JSON with the members of objects sorted, because storage need not preserve their order. */
const ordered = (value: Json): Json => {
  if (Array.isArray(value)) return value.map(ordered)
  if (typeof value !== "object" || value === null) return value
  const entries = Object.entries(value as Readonly<Record<string, Json>>)
  return entries.toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([name, of]) => [name, ordered(of)])
}

/** The digest of the content that an erasure removes from an entry. */
export const contentDigest = (hash: Hash, entry: AuditEntry): string =>
  entry.contentDigest ??
  hash(`content ${JSON.stringify([entry.id, entry.targetName, ordered(entry.before), ordered(entry.after)])}`)

/** The first link of a day's hash chain. */
export const firstLink = (hash: Hash, { companyId, day, previous }: Omit<AuditSeal, "hash">): string =>
  hash(`day ${companyId} ${day} ${previous}`)

/** The link of an entry, given the link before it. */
export const linkOf = (hash: Hash, link: string, entry: AuditEntry): string => {
  const { accountId, action, actor, at, companyId, id, outcome, target } = entry
  const { name, network, sessionId, userAgent } = actor
  const kept = [id, at, accountId, companyId, actorText(actor), name, sessionId, network, userAgent]
  return hash(
    `entry ${link} ${JSON.stringify([...kept, action, target, outcome, contentDigest(hash, entry)])}`
  )
}

/** The mark that a seal gets when retention deletes its entries. */
export const pruneMark = (hash: Hash, { companyId, day, hash: sealed }: AuditSeal): string =>
  hash(`pruned ${companyId} ${day} ${sealed}`)
