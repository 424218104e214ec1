/**
 * Decodes encoded words in header values (RFC 2047).
 *
 * @module
 */
import { fromBase64 } from "./Bytes.ts"

const word = /=\?([\w.:-]{1,40})(?:\*[\w-]{0,20})?\?([bq])\?([^?\s]{0,2000})\?=/gi
/** White space between encoded words is not part of the text (RFC 2047, 6.2). */
const between = /(\?=)[ \t\r\n]{1,1000}(?==\?[\w.:*-]{1,60}\?[bq]\?)/gi

const fromQ = (text: string): Uint8Array => {
  const bytes: Array<number> = []
  for (let at = 0; at < text.length; at++) {
    const hex = text[at] === "=" ? /^[0-9a-f]{2}/i.exec(text.slice(at + 1, at + 3)) : null
    if (hex !== null) {
      bytes.push(Number.parseInt(hex[0], 16))
      at += 2
    } else bytes.push(text[at] === "_" ? 0x20 : text.charCodeAt(at) & 0xff)
  }
  return Uint8Array.from(bytes)
}

const decoderOf = (charset: string): TextDecoder | null => {
  try {
    return new TextDecoder(charset, { fatal: false })
  } catch {
    return null
  }
}

/** Decodes the encoded words of a header value. Malformed ones, and those in an unknown charset, stay unchanged. */
export const decodeWords = (value: string): string =>
  value.replace(between, "$1").replace(word, (whole, charset: string, encoding: string, text: string) => {
    const bytes = encoding.toLowerCase() === "q" ? fromQ(text) : fromBase64(text)
    return (bytes === null ? undefined : decoderOf(charset)?.decode(bytes)) ?? whole
  })
