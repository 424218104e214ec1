/**
 * Reads where a domain wants reports about TLS connections to its mail servers (RFC 8460, 3).
 *
 * @module
 */
import { parseEmail } from "../../shared/EmailAddress.ts"

/** The maximum number of destinations of a domain's reports. */
export const maxDestinations = 5

/** A URL that may be stored: printable, and not longer than web servers accept. */
const webAddress = /^https:\/\/[\x21-\x7e]{1,1000}$/i

/**
 * The destinations of a domain's reports, from its TXT records at `_smtp._tls` (RFC 8460, 3). There are none unless it has
 * exactly one record.
 */
export const destinationsOf = (texts: ReadonlyArray<string>): ReadonlyArray<string> => {
  const records = texts.filter((text) => /^v=TLSRPTv1[ \t]{0,20};/.test(text))
  const [record] = records
  if (record === undefined || records.length > 1) return []
  const rua = record
    .split(";")
    .map((field) => field.trim())
    .find((field) => field.startsWith("rua="))
  const uris = (rua?.slice("rua=".length) ?? "").split(",").map((uri) => uri.trim())
  const usable = uris.filter((uri) => addressOf(uri) !== null || webAddress.test(uri))
  return [...new Set(usable)].slice(0, maxDestinations)
}

/** The address of a `mailto:` URI; null for any other URI. */
export const addressOf = (uri: string): string | null => {
  const [, address = ""] = /^mailto:([^?]{1,254})$/i.exec(uri) ?? []
  return parseEmail(address)
}
