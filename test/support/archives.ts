/**
 * Exports and imports archives of accounts by the management API.
 *
 * @module
 */
import type { Target } from "./targets.ts"
import { manage } from "./workspace.ts"

/** The response of an import. */
export interface ArchiveReport {
  readonly counts: Readonly<
    Record<
      string,
      {
        readonly added: number
        readonly changed: number
        readonly unchanged: number
        readonly refused: number
      }
    >
  >
  readonly refused: ReadonlyArray<{
    readonly line: number
    readonly kind: string | null
    readonly errors: ReadonlyArray<{ readonly code: string; readonly field: string | null }>
  }>
}

/** All lines of an account's archive, page by page. */
export const readArchive = async (target: Target, accountId: string): Promise<ReadonlyArray<string>> => {
  const lines: Array<string> = []
  let query = ""
  for (;;) {
    const path = `/manage/v1/accounts/${accountId}/export${query}`
    const answer = await target.fetch(path, {
      headers: { authorization: `Bearer ${target.managementToken}` }
    })
    const text = await answer.text()
    if (answer.status !== 200) throw new Error(`GET ${path} -> ${answer.status} ${text}`)
    lines.push(...text.split("\n").filter((line) => line !== ""))
    const [, next] = /^<(\?after=[^>]+)>; rel="next"$/.exec(answer.headers.get("link") ?? "") ?? []
    if (next === undefined) return lines
    query = next
  }
}

/** Imports lines into an account, the first being the header. */
export const takeArchive = async (
  target: Target,
  accountId: string,
  lines: ReadonlyArray<string>
): Promise<ArchiveReport> =>
  (
    await manage<ArchiveReport>(target, "POST", `/accounts/${accountId}/import`, {
      body: `${lines.join("\n")}\n`,
      headers: { "content-type": "application/x-ndjson" }
    })
  ).value
