/**
 * Reads where a domain wants reports of TLS connections to its mail servers (RFC 8460, 3).
 *
 * @module
 */
import { parseEmail } from "../../shared/EmailAddress.ts"

/** The most destinations of a domain's reports. */
export const maxDestinations = 5

/** A web address as it may be stored: printable, and as short as web servers take them. */
const webAddress = /^https:\/\/[\x21-\x7e]{1,1000}$/i

/** Where the reports of a domain go, by its TXT records at `_smtp._tls` (RFC 8460, 3): none where it has not one record. */
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

/** The address of a `mailto:` URI; null for any other. */
export const addressOf = (uri: string): string | null => {
  const [, address = ""] = /^mailto:([^?]{1,254})$/i.exec(uri) ?? []
  return parseEmail(address)
}
