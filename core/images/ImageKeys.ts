/**
 * The addresses of uploaded images.
 *
 * @module
 */
import { fromBase64Url, fromHex, toBase64Url, toHex } from "../shared/Bytes.ts"
import { formatUuid } from "../shared/Uuid.ts"

/** The path of images, from the base URL on. */
export const imagesPath = "/i"

/** The random bytes of a key, which no one guesses. */
export const keyBytes = 18

const accountBytes = 16

/** No key has more characters. */
const maxKey = 64

/** A key of an account's image: the account, by which it is found, and what is random. */
export const imageKey = (accountId: string, random: Uint8Array): string => {
  const bytes = new Uint8Array(accountBytes + random.length)
  bytes.set(fromHex(accountId.replaceAll("-", "")))
  bytes.set(random, accountBytes)
  return toBase64Url(bytes)
}

/** The account of a key; null for what is none. */
export const accountOfKey = (key: string): string | null => {
  if (key.length > maxKey) return null
  const bytes = fromBase64Url(key)
  return bytes.length === accountBytes + keyBytes ? formatUuid(toHex(bytes.subarray(0, accountBytes))) : null
}

/** The address of an image. */
export const imageUrl = (baseUrl: string, { key }: { readonly key: string }): string =>
  `${baseUrl}${imagesPath}/${key}`
