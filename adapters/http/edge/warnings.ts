/**
 * Reports the warnings of a call: in the header `X-Svc-Warnings` and in the log.
 *
 * @module
 */
import { Effect } from "effect"
import { CallWarnings, type Warning, type Warnings } from "../../../core/kernel/Warnings.ts"
import type { UnknownFields } from "../json/UnknownFields.ts"

/** The longest value of the header, in characters. Proxies reserve 4 KB for all headers of a reply. */
export const maxWarningsHeader = 2_000

/** Leaves room for `more;count=...`. */
const maxItems = maxWarningsHeader - 50

const percentEncoded = (characters: string): string =>
  Array.from(
    new TextEncoder().encode(characters),
    (byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`
  ).join("")

/** A string of a header (RFC 9651, 3.3.3), percent-encoded except for printable ASCII. */
const quoted = (text: string): string =>
  `"${text.replace(/["\\]/g, (character) => `\\${character}`).replace(/[^\x20-\x7e]+/g, percentEncoded)}"`

const itemOf = ({ code, params = {} }: Warning): string =>
  [code, ...Object.entries(params).map(([name, value]) => `${name}=${quoted(value)}`)].join(";")

/**
 * The value of `X-Svc-Warnings`: a list (RFC 9651, 3.1) of codes with their parameters, such as
 * `unknown_field;field="subjet";nearest="subject"`. If there are more than fit, it ends with `more;count=5`.
 */
export const warningsHeader = ({ list, more }: Pick<Warnings, "list" | "more">): string => {
  const items: Array<string> = []
  let length = 0
  for (const warning of list) {
    const item = itemOf(warning)
    length += item.length + ", ".length
    if (length > maxItems) break
    items.push(item)
  }
  const left = list.length - items.length + more
  return [...items, ...(left === 0 ? [] : [`more;count=${left}`])].join(", ")
}

/** A name of the kind that programmers choose. Any other name that a caller sends may be personal data. */
const ordinary = /^[a-z][\w[\].]{0,63}$/i

const forLog = ({ code, params = {} }: Warning): Warning => ({
  code,
  params: Object.fromEntries(
    Object.entries(params).map(([name, value]) => [name, ordinary.test(value) ? value : "?"])
  )
})

/** Logs the warnings of a call at the level debug, like rejected calls. A name of another kind is logged as `?`. */
export const logWarnings = (
  { list, more }: Warnings,
  call: { readonly requestId: string; readonly route: string; readonly status: number }
): Effect.Effect<void> =>
  Effect.annotateLogs(Effect.logDebug("call warned"), {
    ...call,
    warnings: warningsHeader({ list: list.map(forLog), more })
  })

/** Warns the caller about fields that were ignored. */
export const warnOfUnknown = ({ list, more }: UnknownFields): Effect.Effect<void> =>
  Effect.withFiber((fiber) => {
    const warnings = fiber.getRef(CallWarnings)
    for (const { like, path } of list) {
      warnings?.add({
        code: "unknown_field",
        params: { field: path, ...(like === null ? {} : { nearest: like }) }
      })
    }
    warnings?.addMore(more)
    return Effect.void
  })
