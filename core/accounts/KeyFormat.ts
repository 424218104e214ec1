/**
 * The format of keys and tokens: a prefix, 32 random bytes in base62 (43 characters), and the CRC-32 of those characters in
 * base62 (6 characters). With it, a mistyped key is rejected without a database query, and secret scanners can recognise keys
 * (docs/contributing/decisions.md 0).
 *
 * @module
 */
import type { Mode } from "../model/Account.ts"

/** The prefix of each kind of key. */
export const prefixes = {
  live: "svc_live_",
  test: "svc_test_",
  flow: "svc_flow_",
  store: "svc_store_",
  admin: "svc_admin_",
  ops: "svc_ops_",
  team: "svc_team_",
  user: "svc_user_"
} as const

/** The prefix of a key or token. */
export type Prefix = (typeof prefixes)[keyof typeof prefixes]

/** The number of random bytes in a key. */
export const keyBytes = 32

const bodyLength = 43
const checksumLength = 6
const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

const toBase62 = (value: bigint, length: number): string => {
  let rest = value
  let digits = ""
  for (let index = 0; index < length; index++) {
    digits = alphabet[Number(rest % 62n)]! + digits
    rest /= 62n
  }
  return digits
}

const crcTable = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1
  return crc
})

const crc32 = (input: string): number => {
  let crc = 0xffffffff
  for (let index = 0; index < input.length; index++) {
    crc = crcTable[(crc ^ input.charCodeAt(index)) & 0xff]! ^ (crc >>> 8)
  }
  return (crc ^ 0xffffffff) >>> 0
}

const checksum = (body: string): string => toBase62(BigInt(crc32(body)), checksumLength)

/** Formats 32 random bytes as a key with the prefix. */
export const formatKey = (prefix: Prefix, random: Uint8Array): string => {
  const value = random.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n)
  const body = toBase62(value, bodyLength)
  return prefix + body + checksum(body)
}

/** Whether a string is a key with the prefix and a valid checksum. The database may still not contain it. */
export const isKey = (prefix: Prefix, key: string): boolean => {
  if (key.length !== prefix.length + bodyLength + checksumLength || !key.startsWith(prefix)) return false
  const body = key.slice(prefix.length, prefix.length + bodyLength)
  return /^[0-9A-Za-z]+$/.test(body) && key.endsWith(checksum(body))
}

/** Whether a string has the format of an API key for a live or a sandbox account. */
export const isApiKey = (key: string): boolean => isKey(prefixes.live, key) || isKey(prefixes.test, key)

/** The prefix of the keys of an account. */
export const prefixOf = (mode: Mode): Prefix => (mode === "Live" ? prefixes.live : prefixes.test)

/** The part of a key that may be shown: its first 12 and last 4 characters. */
export const displayOf = (key: string): string => `${key.slice(0, 12)}...${key.slice(-4)}`
