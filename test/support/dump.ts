/**
 * A dump of a database, and the attempts of an attacker who has only the dump.
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

/** All strings in a dump that could be a key, without duplicates: words, and the bytes that hex and base64 encode. */
const keysIn = (dump: string): ReadonlyArray<Uint8Array> => {
  const words = new Set(dump.match(/[\w+/=.-]{8,}/g))
  return [...words].flatMap((word) => {
    const encodings: Array<Uint8Array> = [Buffer.from(word, "utf8"), Buffer.from(word, "base64")]
    if (/^([0-9a-f]{2})+$/i.test(word)) encodings.push(Buffer.from(word, "hex"))
    return encodings
  })
}

/** The labels from which the keys for signatures of hosted-page links are derived. */
const uses = ["links", "reports", "tracking", "flows", "addresses"]

/**
 * The valid signature of a text that can be computed from a dump, by trying every string in it as the key or as the secret from
 * which keys are derived; null if there is none. `isRight` verifies a signature.
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
