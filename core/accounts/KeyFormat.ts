/**
 * The format of keys and tokens: a prefix, 32 random bytes in base62 (43 characters), and the CRC-32 of those
 * characters in base62 (6 characters), so that a mistyped key is refused without a look-up and secret scanners can
 * recognise one (decisions 0).
 *
 * @module
 */
import type { Mode } from "../model/Account.ts"

/** The prefixes there are. */
export const prefixes = {
  live: "svc_live_",
  test: "svc_test_",
  flow: "svc_flow_",
  store: "svc_store_",
  admin: "svc_admin_"
} as const

/** What a key or token begins with. */
export type Prefix = (typeof prefixes)[keyof typeof prefixes]

/** The random bytes of a key. */
export const keyBytes = 32

const bodyLength = 43
const checksumLength = 6
const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

const toBase62 = (value: bigint, length: number): string => {
  let rest = value
  let text = ""
  for (let index = 0; index < length; index++) {
    text = alphabet[Number(rest % 62n)]! + text
    rest /= 62n
  }
  return text
}

const crcTable = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1
  return crc
})

const crc32 = (text: string): number => {
  let crc = 0xffffffff
  for (let index = 0; index < text.length; index++) {
    crc = crcTable[(crc ^ text.charCodeAt(index)) & 0xff]! ^ (crc >>> 8)
  }
  return (crc ^ 0xffffffff) >>> 0
}

const checksum = (body: string): string => toBase62(BigInt(crc32(body)), checksumLength)

/** A key of a prefix from 32 random bytes. */
export const formatKey = (prefix: Prefix, random: Uint8Array): string => {
  const value = random.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n)
  const body = toBase62(value, bodyLength)
  return prefix + body + checksum(body)
}

/** Whether a text is a key of the prefix with a right checksum. Says nothing about whether the key exists. */
export const isKey = (prefix: Prefix, text: string): boolean => {
  if (text.length !== prefix.length + bodyLength + checksumLength || !text.startsWith(prefix)) return false
  const body = text.slice(prefix.length, prefix.length + bodyLength)
  return /^[0-9A-Za-z]+$/.test(body) && text.endsWith(checksum(body))
}

/** Whether a text can be an API key, of a live or a sandbox account. */
export const isApiKey = (text: string): boolean => isKey(prefixes.live, text) || isKey(prefixes.test, text)

/** The prefix of the keys of an account. */
export const prefixOf = (mode: Mode): Prefix => (mode === "Live" ? prefixes.live : prefixes.test)

/** What may be shown of a key: its first 12 and last 4 characters. */
export const displayOf = (key: string): string => `${key.slice(0, 12)}...${key.slice(-4)}`
