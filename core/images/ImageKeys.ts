/**
 * The keys and URLs of uploaded images.
 *
 * @module
 */
import { fromBase64Url, fromHex, toBase64Url, toHex } from "../shared/Bytes.ts"
import { formatUuid } from "../shared/Uuid.ts"

/** The path of images, after the base URL. */
export const imagesPath = "/i"

/** The number of random bytes in a key, so that it cannot be guessed. */
export const keyBytes = 18

const accountBytes = 16

/** The maximum number of characters of a key. */
const maxKey = 64

/** Builds the key of an account's image: the account's id, by which the image is found, followed by random bytes. */
export const imageKey = (accountId: string, random: Uint8Array): string => {
  const bytes = new Uint8Array(accountBytes + random.length)
  bytes.set(fromHex(accountId.replaceAll("-", "")))
  bytes.set(random, accountBytes)
  return toBase64Url(bytes)
}

/** The account id of a key; null for an invalid key. */
export const accountOfKey = (key: string): string | null => {
  if (key.length > maxKey) return null
  const bytes = fromBase64Url(key)
  return bytes.length === accountBytes + keyBytes ? formatUuid(toHex(bytes.subarray(0, accountBytes))) : null
}

/** The URL of an image. */
export const imageUrl = (baseUrl: string, { key }: { readonly key: string }): string =>
  `${baseUrl}${imagesPath}/${key}`
