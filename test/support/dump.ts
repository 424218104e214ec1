/**
 * A dump of a database, and what a reader who has nothing else tries with it.
 *
 * @module
 */
import { Effect, type Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { createHmac } from "node:crypto"

/** Every row of every table as text, a line each. */
export const dumpOf = (database: Layer.Layer<SqlClient, unknown>): Promise<string> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const tables = yield* sql<{ name: string }>`
      select quote_ident(tablename) as name from pg_tables where schemaname = 'public' order by 1`
    const lines: Array<string> = []
    for (const { name } of tables) {
      const rows = yield* sql<{ line: string }>`select to_jsonb(t)::text as line from ${sql.literal(name)} t`
      lines.push(...rows.map(({ line }) => `${name} ${line}`))
    }
    return lines.join("\n")
  }).pipe(Effect.provide(database), Effect.scoped, Effect.runPromise)

/** Every string in a dump that could be a key, at most once: words, and what hex and base64 encode. */
const keysIn = (dump: string): ReadonlyArray<Uint8Array> => {
  const words = new Set(dump.match(/[\w+/=.-]{8,}/g))
  return [...words].flatMap((word) => {
    const encodings: Array<Uint8Array> = [Buffer.from(word, "utf8"), Buffer.from(word, "base64")]
    if (/^([0-9a-f]{2})+$/i.test(word)) encodings.push(Buffer.from(word, "hex"))
    return encodings
  })
}

/** The texts that the signatures of links to hosted pages sign, and the use that their key is derived for. */
const uses = ["links", "reports", "tracking", "flows", "addresses"]

/**
 * The signature of a text that any string of a dump makes, used as a key or as the secret that keys are derived from; null
 * where none does. `isRight` decides whether it is the right one.
 */
export const forge = (dump: string, text: string, isRight: (mac: string) => boolean): string | null => {
  for (const key of keysIn(dump)) {
    const derived = uses.map((use) => createHmac("sha256", key).update(use).digest())
    for (const candidate of [key, ...derived]) {
      const mac = createHmac("sha256", candidate).update(text).digest("base64url")
      if (isRight(mac)) return mac
    }
  }
  return null
}
