/**
 * Handles the management endpoints of account archives.
 *
 * @module
 */
import { Effect, Result } from "effect"
import { AccountExport } from "../../../core/archive/AccountExport.ts"
import { AccountImport, maxArchiveBatch } from "../../../core/archive/AccountImport.ts"
import { encodeLine } from "../../../core/archive/ArchiveLine.ts"
import { messageOf } from "../../../core/shared/Problem.ts"
import { ndjson } from "../schema/management/Archive.ts"
import { ManagementApi } from "../schema/ManagementApi.ts"
import { parseJson } from "../json/StrictJson.ts"
import { bytesOfSlice, yieldToOthers } from "../json/TimeSlices.ts"
import { ok } from "../edge/reply.ts"
import { bind } from "../edge/Route.ts"

const newline = 0x0a

const isBlank = (byte: number | undefined): boolean =>
  byte === newline || byte === 0x20 || byte === 0x0d || byte === 0x09

/** Parses the lines that are not blank; undefined for a line that is not JSON. Returns at most one more than a batch has. */
const parseLines = Effect.fnUntraced(function* (bytes: Uint8Array) {
  const lines: Array<unknown> = []
  let since = 0
  for (let start = 0; start < bytes.length && lines.length <= maxArchiveBatch;) {
    const from = start
    // Skips blank lines, and white space before a document.
    while (isBlank(bytes[start])) start++
    if (start === bytes.length) break
    const found = bytes.indexOf(newline, start)
    const end = found === -1 ? bytes.length : found
    lines.push(Result.getOrUndefined(parseJson(bytes.subarray(start, end))))
    start = end + 1
    since += start - from
    if (since < bytesOfSlice) continue
    since = 0
    yield* yieldToOthers
  }
  return lines
})

/** Archives. */
export const archiveRoutes = Effect.gen(function* () {
  const exports = yield* AccountExport
  const imports = yield* AccountImport
  return bind(ManagementApi.groups.archive, {
    export: Effect.fnUntraced(function* ({ account, actor, query }) {
      const { lines, next } = yield* exports.page(account, query.after, actor)
      return {
        _tag: "Reply",
        status: 200,
        headers: {
          "content-type": `${ndjson}; charset=utf-8`,
          ...(next === null ? {} : { link: `<?after=${encodeURIComponent(next)}>; rel="next"` })
        },
        body: lines.map((line) => `${JSON.stringify(encodeLine(line))}\n`).join("")
      }
    }),
    import: Effect.fnUntraced(function* ({ account, actor, body }) {
      const lines = yield* parseLines(yield* body())
      const { counts, refused } = yield* imports.load(account.id, lines, actor)
      return ok({
        counts,
        refused: refused.map(({ issues, kind, line }) => ({
          line,
          kind,
          errors: issues.map((issue) => ({ code: issue.code, field: issue.field, message: messageOf(issue) }))
        }))
      })
    })
  })
})
