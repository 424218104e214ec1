/**
 * Scans the bytes of JSON before they are parsed. It counts what parsing would create, and stops at the first count above
 * its limit. It also finds the elements of a batch, so that each can be parsed on its own. It does not validate the syntax:
 * the bytes that pass are still parsed.
 *
 * @module
 */
import { randomInt } from "node:crypto"

/** The deepest nesting accepted. */
export const maxDepth = 64

/** The limits of what parsing creates. */
export interface ScanBounds {
  /** Values of a body without a list, or outside the list. */
  readonly values: number
  /** Members of all objects. */
  readonly members: number
  /** Objects and lists. */
  readonly containers: number
  /** Distinct keys of a body without a list, or outside the list. Each costs several times as much as a known key. */
  readonly keys: number
}

/** The list of a batch: the array that the body, an object, has under a name. */
export interface ScanList {
  readonly name: string
  /** The scan stops at the first element beyond this number. */
  readonly maxElements: number
  /** The maximum number of values of an element. */
  readonly maxValues: number
}

/** The counts of a body without its list, or of an element of the list. */
export interface ScanPart {
  readonly start: number
  readonly end: number
  /** Members of objects. If the parsed value has fewer, it has a duplicate key. */
  readonly members: number
  readonly values: number
  /** Distinct keys of objects. */
  readonly keys: number
  readonly depth: number
  /** Whether a number may be written in another form than `String` writes it. */
  readonly hasLongNumbers: boolean
  /** The position of the element's own key under which it is nested too deeply, quotes included; null if it is not. */
  readonly deepKey: readonly [start: number, end: number] | null
}

/** The result of a scan. */
export type ScanEnd =
  | {
      readonly _tag: "Scanned"
      /** The body, or its part outside the list. */
      readonly whole: ScanPart
      /** Where the list's elements begin and end, without the brackets; null if there is no list. */
      readonly list: readonly [start: number, end: number] | null
      readonly elements: ReadonlyArray<ScanPart>
    }
  | { readonly _tag: "NotJson" }
  | { readonly _tag: "TooComplex" }
  | { readonly _tag: "TooManyElements" }

const quote = 34
const comma = 44
const minus = 45
const point = 46
const zero = 48
const nine = 57
const colon = 58
const openBracket = 91
const backslash = 92
const closeBracket = 93
const openBrace = 123
const closeBrace = 125

/** A decimal with at most this many digits is the shortest one of its double (IEEE 754). */
const shortDigits = 15

/** A scan that can continue where it stopped. */
export class JsonScan {
  readonly #bytes: Uint8Array
  readonly #bounds: ScanBounds
  readonly #list: ScanList | null
  /** The open brackets, by depth. */
  readonly #kinds: Array<number> = [0]
  readonly #elements: Array<ScanPart> = []
  #index = 0
  #depth = 0
  #containers = 0
  #members = 0
  /** The counts of the part that is being scanned. */
  #part = { members: 0, values: 0, depth: 0, hasLongNumbers: false }
  /** The counts of the whole while an element is scanned. */
  #outer: { members: number; values: number; depth: number; hasLongNumbers: boolean } | null = null
  /** The hashes of the keys of the part; those of the whole are kept while an element is scanned. */
  #keys = new Set<number>()
  #outerKeys: Set<number> | null = null
  /** The last string, without its quotes. */
  #stringStart = 0
  #stringEnd = 0
  #isListKey = false
  #listStart = -1
  #listEnd = -1
  #elementStart = 0
  /** The last string at the depth of the own keys of the body or element. */
  #keyStart = 0
  #keyEnd = 0
  #deepKey: readonly [number, number] | null = null

  constructor(bytes: Uint8Array, bounds: ScanBounds, list: ScanList | null) {
    this.#bytes = bytes
    this.#bounds = bounds
    this.#list = list
  }

  /** Scans about `count` more bytes. Returns null while bytes are left. */
  run(count: number): ScanEnd | null {
    const bytes = this.#bytes
    const stop = Math.min(bytes.length, this.#index + count)
    let index = this.#index
    while (index < stop) {
      const byte = bytes[index]!
      switch (byte) {
        case quote: {
          const end = endOfString(bytes, index)
          if (end === -1) return { _tag: "NotJson" }
          this.#stringStart = index + 1
          this.#stringEnd = end
          if (this.#depth === (this.#outer === null ? 1 : 3)) {
            this.#keyStart = index
            this.#keyEnd = end + 1
          }
          index = end
          break
        }
        case colon:
          this.#part.members++
          if (++this.#members > this.#bounds.members) return { _tag: "TooComplex" }
          if (this.#keys.size <= this.#bounds.keys) {
            this.#keys.add(hashOf(bytes, this.#stringStart, this.#stringEnd))
          } else if (this.#outer === null) return { _tag: "TooComplex" }
          if (this.#depth === 1 && this.#list !== null) this.#isListKey = this.#namesList()
          break
        case comma: {
          this.#part.values++
          if (this.#depth === 1) this.#isListKey = false
          if (this.#outer === null) {
            if (this.#part.values > this.#bounds.values) return { _tag: "TooComplex" }
          } else if (this.#depth === 2) {
            this.#endElement(index)
            if (this.#elements.length >= this.#list!.maxElements) return { _tag: "TooManyElements" }
            this.#elementStart = index + 1
          }
          break
        }
        case openBrace:
        case openBracket:
          if (++this.#containers > this.#bounds.containers) return { _tag: "TooComplex" }
          this.#open(byte, index)
          break
        case closeBrace:
        case closeBracket:
          if (!this.#close(byte, index)) return { _tag: "NotJson" }
          break
        default:
          if (byte === minus || (byte >= zero && byte <= nine)) index = this.#number(index)
      }
      index++
    }
    this.#index = index
    if (index < bytes.length) return null
    return this.#depth === 0 ? this.#end() : { _tag: "NotJson" }
  }

  #end(): ScanEnd {
    const whole = { ...this.#part, keys: this.#keys.size, start: 0, end: this.#bytes.length, deepKey: null }
    const list = this.#listStart === -1 ? null : ([this.#listStart, this.#listEnd] as const)
    return { _tag: "Scanned", whole, list, elements: this.#elements }
  }

  /** Whether the key that ends here is the name of the list. */
  #namesList(): boolean {
    try {
      const key = this.#bytes.subarray(this.#keyStart, this.#keyEnd)
      return JSON.parse(new TextDecoder().decode(key)) === this.#list!.name
    } catch {
      return false
    }
  }

  #open(byte: number, index: number): void {
    const depth = ++this.#depth
    this.#part.values++
    if (depth > this.#part.depth) {
      this.#part.depth = depth
      if (depth > maxDepth && this.#deepKey === null) this.#deepKey = [this.#keyStart, this.#keyEnd]
    }
    if (depth <= maxDepth) this.#kinds[depth] = byte
    if (depth === 2 && this.#isListKey && byte === openBracket && this.#listStart === -1) {
      this.#listStart = index + 1
      this.#elementStart = index + 1
      this.#startPart()
    }
  }

  #close(byte: number, index: number): boolean {
    const depth = this.#depth--
    // Brackets are not compared inside an element that is nested too deeply.
    if (depth <= maxDepth && this.#kinds[depth] !== byte - 2) return false
    if (depth === 2 && this.#outer !== null) {
      const isEmpty = this.#elements.length === 0 && isBlank(this.#bytes, this.#elementStart, index)
      if (!isEmpty) this.#endElement(index)
      this.#listEnd = index
      this.#part = this.#outer
      this.#outer = null
      this.#keys = this.#outerKeys!
      this.#outerKeys = null
    }
    return true
  }

  #startPart(): void {
    this.#outer ??= this.#part
    this.#outerKeys ??= this.#keys
    this.#keys = new Set()
    this.#part = { members: 0, values: 0, depth: 0, hasLongNumbers: false }
    this.#deepKey = null
    this.#keyEnd = this.#keyStart
  }

  #endElement(index: number): void {
    this.#elements.push({
      ...this.#part,
      keys: this.#keys.size,
      start: this.#elementStart,
      end: index,
      deepKey: this.#deepKey
    })
    this.#startPart()
  }

  /** Skips a number. Returns the index of its last byte. */
  #number(start: number): number {
    const bytes = this.#bytes
    let index = start
    let fraction = 0
    let isPlain = true
    while (index < bytes.length) {
      const byte = bytes[index]!
      if (byte === point && fraction === 0) fraction = index
      // An exponent, or a byte that no number has.
      else if ((byte < zero || byte > nine) && !(byte === minus && index === start)) {
        if (byte === comma || byte === closeBrace || byte === closeBracket || byte <= 32) break
        if (byte === quote || byte === colon || byte === openBrace || byte === openBracket) break
        isPlain = false
      }
      index++
    }
    const last = index - 1
    const isShort = index - start <= shortDigits
    const isShortest =
      fraction === 0 ? bytes[start] !== minus || bytes[start + 1] !== zero : bytes[last] !== zero
    const isTiny = fraction !== 0 && last - fraction > 6 && areZeros(bytes, fraction + 1, fraction + 7)
    if (!isPlain || !isShort || !isShortest || isTiny) this.#part.hasLongNumbers = true
    return last
  }
}

/** Makes it hard to find keys with equal hashes. */
const seed = randomInt(2 ** 32 - 1)

/** A hash of bytes (32-bit FNV-1a). Two keys with the same hash count as one. */
const hashOf = (bytes: Uint8Array, start: number, end: number): number => {
  let hash = seed
  for (let index = start; index < end; index++) hash = Math.imul(hash ^ bytes[index]!, 16_777_619)
  return hash
}

/** How many bytes of a string are examined before `indexOf` is called, which costs about as much as examining them. */
const nearBytes = 24

/** The index of the quote that ends the string which begins at `start`; -1 if there is none. */
const endOfString = (bytes: Uint8Array, start: number): number => {
  let index = start + 1
  while (index < bytes.length) {
    // Most strings are short, and another escaped quote may follow soon.
    const near = Math.min(bytes.length, index + nearBytes)
    while (index < near) {
      const byte = bytes[index]!
      if (byte === quote) return index
      index += byte === backslash ? 2 : 1
    }
    const end = bytes.indexOf(quote, index)
    if (end === -1) return -1
    let escapes = 0
    while (end - 1 - escapes >= index && bytes[end - 1 - escapes] === backslash) escapes++
    if (escapes % 2 === 0) return end
    index = end + 1
  }
  return -1
}

const areZeros = (bytes: Uint8Array, start: number, end: number): boolean => {
  for (let index = start; index < end; index++) if (bytes[index] !== zero) return false
  return true
}

const isBlank = (bytes: Uint8Array, start: number, end: number): boolean => {
  for (let index = start; index < end; index++) if (bytes[index]! > 32) return false
  return true
}
