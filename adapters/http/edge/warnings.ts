/**
 * Reports the warnings of a call: in the header `X-Svc-Warnings` and in the log.
 *
 * @module
 */
import { Effect } from "effect"
import type { Warnings } from "../../../core/kernel/Warnings.ts"

/** What a header's string cannot have: all but printable ASCII. */
const unprintable = /[^\x20-\x7e]/g

/** A string of a header (RFC 9651, 3.3.3). */
const quoted = (text: string): string =>
  `"${text.replace(unprintable, "?").replace(/["\\]/g, (character) => `\\${character}`)}"`

/** The longest value of the header in characters: proxies reserve 4 KB for all headers of a reply. */
export const maxWarningsHeader = 2_000

/** Leaves room for `more;count=...`. */
const maxItems = maxWarningsHeader - 50

/**
 * The value of `X-Svc-Warnings`: a list (RFC 9651, 3.1) of codes, each with its message as a parameter, such as
 * `request.unknown_field;message="..."`; `more;count=5` ends it where there are more.
 */
export const warningsHeader = ({ list, more }: Warnings): string => {
  const items: Array<string> = []
  let length = 0
  for (const { code, message } of list) {
    const item = `${code};message=${quoted(message)}`
    length += item.length + ", ".length
    if (length > maxItems) break
    items.push(item)
  }
  const left = list.length - items.length + more
  return [...items, ...(left === 0 ? [] : [`more;count=${left}`])].join(", ")
}

/** Logs the warnings of a call at the level debug, as refused calls are. */
export const logWarnings = (
  { list, more }: Warnings,
  call: { readonly requestId: string; readonly route: string; readonly status: number }
): Effect.Effect<void> =>
  Effect.annotateLogs(Effect.logDebug("call warned"), {
    ...call,
    warnings: list.map(({ code, logged, message }) => `${code}: ${logged ?? message}`).join(" "),
    ...(more === 0 ? {} : { more })
  })
