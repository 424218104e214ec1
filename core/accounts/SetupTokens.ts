/**
 * Tokens of set-up links. For a link that is sent by mail, the stored email contains a seed, from which the token is derived only
 * when the message is composed. A link read in a stored email, in a backup or in the database is therefore not valid.
 *
 * @module
 */
import type { Crypto } from "../ports/Crypto.ts"
import { toBase64Url } from "../shared/Bytes.ts"
import type { KeyRing, SigningKey } from "./KeyRing.ts"

const tokenBytes = 32

/** The format of a token. */
export const setupTokenPattern = /^[\w-]{43}$/

/** The URL of a set-up link, up to its token. */
export const setupUrl = (baseUrl: string): string => `${baseUrl}/app/welcome#`

/**
 * A token, and what is shown instead of it where it must not be known. For a link that is not mailed, that is the token itself.
 */
export interface SetupToken {
  readonly token: string
  readonly shown: string
}

/** A new token that is passed on directly. */
export const newSetupToken = (crypto: Crypto["Service"]): SetupToken => {
  const token = toBase64Url(crypto.randomBytes(tokenBytes))
  return { token, shown: token }
}

const tokenOf = (crypto: Crypto["Service"], { key }: SigningKey, seed: string): string =>
  toBase64Url(crypto.hmacSha256(key, `set-up ${seed}`))

/** A new token for an email: `shown` is the id of the key and the seed, from which `revealSetupLinks` derives the token. */
export const newMailedToken = (crypto: Crypto["Service"], [newest]: KeyRing): SetupToken => {
  const seed = toBase64Url(crypto.randomBytes(tokenBytes))
  return { token: tokenOf(crypto, newest, seed), shown: newest.id + seed }
}

/** A link in a stored email: the id of a key, then a seed. */
const stored = /(\/app\/welcome#)([\w-]{3})([\w-]{43})(?![\w-])/g

/**
 * Makes the set-up links in an email valid when it is sent. Only for emails that the installation itself writes: in anyone else's
 * text, a link that was read in a stored email would become valid.
 */
export const revealSetupLinks = (crypto: Crypto["Service"], ring: KeyRing, text: string): string =>
  text.replaceAll(stored, (link, before: string, id: string, seed: string) => {
    const key = ring.find((one) => one.id === id)
    return key === undefined ? link : before + tokenOf(crypto, key, seed)
  })
