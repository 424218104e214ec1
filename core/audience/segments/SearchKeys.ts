/**
 * The keys by which an index finds contacts: one for each run of three characters in the searched text, each beginning of a line,
 * each tag, and each topic that the contact turned on or off.
 *
 * A run that begins with a character that ends a word also stands for the beginning of the next word, whichever that character
 * is. Searches of one or two characters use these runs; a search of one character uses all keys that may follow. For this
 * purpose, only the last bits of the third character of such a run count.
 *
 * A key is a number of 31 bits. Two keys are occasionally equal, so results of the index are compared in full. The database
 * computes the same keys for older contacts (`svc_search_keys`), so they must never change.
 *
 * @module
 */
import type { Contact } from "../../model/Contact.ts"
import { contactText, minSubstring, wordEnds } from "./ContactFilters.ts"

/** The most runs of characters by which a search is looked up. The rarest of them determines how much of the index is read. */
const maxRuns = 24

/** The characters of a tag on which its key depends. */
const maxTag = 200

const codeOf = (character: string): number => character.codePointAt(0)!

const kinds = { run: codeOf("t"), tag: codeOf("g"), on: codeOf("y"), off: codeOf("n") }

const newline = codeOf("\n")
const ends = new Set([newline, ...Array.from(wordEnds, codeOf)])

/** Whether a character ends a word; all such characters are ASCII. */
const isEnd = (() => {
  const table = Uint8Array.from({ length: 128 }, (_, code) => Number(ends.has(code)))
  return (code: number): boolean => table[code] === 1
})()

/** FNV-1a over code points instead of bytes. */
const step = (hash: number, code: number): number => Math.imul(hash ^ code, 16_777_619)

/** The seed of an account's keys, which differ from those of other accounts in the same index. */
const seedOf = (accountId: string, kind: number): number =>
  step(Number.parseInt(accountId.slice(-8), 16), kind)

const keyOf = (hash: number): number => hash & 0x7fff_ffff

/** The number of values that distinguish a word's second character. As a value, it stands for a word without one. */
const afterBeginning = 64
const bitsOf = (code: number): number => (isEnd(code) ? afterBeginning : code % afterBeginning)

const keyOfRun = (seed: number, first: number, second: number, third: number): number =>
  keyOf(
    isEnd(first)
      ? step(step(step(seed, newline), second), bitsOf(third))
      : step(step(step(seed, first), second), third)
  )

const keyOfText = (accountId: string, kind: number, text: string): number => {
  let hash = seedOf(accountId, kind)
  for (const character of text) hash = step(hash, codeOf(character))
  return keyOf(hash)
}

/**
 * The table in which duplicate keys are found, reused because a `Set` for each contact would create most of a batch's garbage.
 */
let seen = new Int32Array(1024)

/** Collects up to `most` keys, each once, in the order in which they are added. */
const collect = (most: number, addAll: (add: (key: number) => void) => void): ReadonlyArray<number> => {
  const slots = 2 ** (32 - Math.clz32(2 * most))
  if (slots > seen.length) seen = new Int32Array(slots)
  seen.fill(0, 0, slots)
  const keys: Array<number> = []
  addAll((key) => {
    // Zero is an empty slot.
    const mark = (key + 1) | 0
    let slot = (key ^ (key >>> 15)) & (slots - 1)
    while (seen[slot] !== 0) {
      if (seen[slot] === mark) return
      slot = (slot + 1) & (slots - 1)
    }
    seen[slot] = mark
    keys.push(key)
  })
  return keys
}

/** The keys of a contact, each once. */
export const searchKeys = (accountId: string, contact: Contact): ReadonlyArray<number> => {
  const seed = seedOf(accountId, kinds.run)
  const text = `${contactText(contact)}\n`
  const tags = contact.tags ?? []
  const topics = Object.entries(contact.topics)
  return collect(text.length + tags.length + topics.length, (add) => {
    // Before the first character, as if a line had ended.
    let before = newline
    let last = newline
    for (let at = 0; at < text.length;) {
      const code = text.codePointAt(at)!
      at += code > 0xffff ? 2 : 1
      // A run contains the end of a line only at its beginning, or after a last word of one character.
      const isRun = code === newline ? isEnd(before) && !isEnd(last) : last !== newline
      if (isRun) add(keyOfRun(seed, before, last, code))
      before = last
      last = code
    }
    for (const tag of tags) add(tagKey(accountId, tag))
    for (const [id, choice] of topics) add(topicKey(accountId, id, choice))
  })
}

/** The key of contacts with a tag. */
export const tagKey = (accountId: string, tag: string): number =>
  keyOfText(accountId, kinds.tag, Array.from(tag).slice(0, maxTag).join(""))

/** The key of contacts who turned a topic on, or off. */
export const topicKey = (accountId: string, id: string, isOn: boolean): number =>
  keyOfText(accountId, isOn ? kinds.on : kinds.off, id)

/** The keys of a search in the form of `foldCase`: every contact it matches has all of these keys, or at least one in `any`. */
export const queryKeys = (
  accountId: string,
  q: string
): { readonly all: ReadonlyArray<number> } | { readonly any: ReadonlyArray<number> } => {
  const seed = seedOf(accountId, kinds.run)
  const codes = Array.from(q, codeOf)
  const [first = newline, second] = codes
  if (codes.length < minSubstring) {
    return second === undefined
      ? {
          any: Array.from({ length: afterBeginning + 1 }, (_, bits) =>
            keyOf(step(step(step(seed, newline), first), bits))
          )
        }
      : { all: [keyOfRun(seed, newline, first, second)] }
  }
  // All runs of the search, or, for a long search, some that are spread over it.
  const end = codes.length - minSubstring
  const count = Math.min(maxRuns, end + 1)
  const places = Array.from({ length: count }, (_, index) =>
    count === 1 ? 0 : Math.round((index * end) / (count - 1))
  )
  return { all: places.map((from) => keyOfRun(seed, codes[from]!, codes[from + 1]!, codes[from + 2]!)) }
}
