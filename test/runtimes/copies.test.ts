/**
 * Tests `svc backup`, `svc restore` and `svc migrate-store`: everything in one database arrives in another, whatever happens on
 * the way.
 *
 * @module
 */
import { Effect, Redacted } from "effect"
import { PgClient } from "@effect/sql-pg"
import { spawn } from "node:child_process"
import { readFile, stat, truncate, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { gunzipSync, gzipSync } from "node:zlib"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { layer as embedded } from "../../adapters/postgres/engine/Embedded.ts"
import { engine as server } from "../../adapters/postgres/engine/Server.ts"
import { cliOf, linesOf, runCli } from "../support/cli.ts"
import { dumpOf } from "../support/dump.ts"
import { fillAccount, type FullAccount } from "../support/fullAccount.ts"
import { execute, emptyDatabase, query } from "../support/postgres.ts"
import { freshFolder } from "../support/serverProcess.ts"
import { startEmbedded, type Target } from "../support/targets.ts"
import { openWorkspace } from "../support/workspace.ts"

/** Enough rows that a kill interrupts a copy: several batches of one table. */
const many = `insert into timeline (account_id, id, contact_id, name, occurred_at, properties, source)
  select account_id, gen_random_uuid(), id, 'page.viewed', added_at, jsonb_build_object('n', n, 'text', repeat('x', 1000)), 'Api'
  from (select account_id, id, added_at from contacts limit 1) c, generate_series(1, 9000) n`

const lists = ["domains", "webhooks", "emails", "inbox", "templates", "segments", "suppressions"]

/** What the API returns about an account. */
const views = async (
  target: Target,
  { account, contact, email, flow, import: imported }: FullAccount
): Promise<ReadonlyArray<unknown>> => {
  const read = async (path: string, token: string) => {
    const response = await target.fetch(path, { headers: { authorization: `Bearer ${token}` } })
    return [path, response.status, await response.json()]
  }
  const management = [...lists, `emails/${email}`, `flows/${flow}`, `imports/${imported}`].map((path) =>
    read(`/manage/v1/accounts/${account.accountId}/${path}`, target.managementToken)
  )
  const shown = await Promise.all([
    ...management,
    ...[`contacts/${contact}`, "commerce/orders?view=All"].map((path) => read(`/api/v1/${path}`, account.key))
  ])
  expect(shown.map(([, status]) => status)).toEqual(shown.map(() => 200))
  return shown
}

describe("copies of a store", { timeout: 240_000 }, () => {
  let folder: Awaited<ReturnType<typeof freshFolder>>
  let data: string
  let file: string
  let secretKey: string
  let full: FullAccount
  let shown: unknown
  let rows: string

  beforeAll(async () => {
    folder = await freshFolder()
    data = join(folder.path, "data")
    file = join(folder.path, "svc.backup")
    const target = await startEmbedded({ store: { directory: data } })
    full = await fillAccount(target, (await openWorkspace(target, "Copies")).sandbox, "copied")
    shown = await views(target, full)
    const busy = await runCli("node", folder.path, ["backup", "--out", file])
    expect([busy.code, busy.err]).toEqual([1, expect.stringContaining("in use by another process")])
    await target.stop()
    secretKey = (await readFile(join(data, "secret.key"), "utf8")).trim()
    rows = await dumpOf(embedded(data))
  }, 240_000)
  afterAll(() => folder.remove())

  const dumpAt = (url: string) => dumpOf(server(Redacted.make(url)))
  /** Without the table that is empty after a crash. */
  const sorted = (dump: string) =>
    linesOf(dump)
      .filter((line) => !line.startsWith("rate_windows "))
      .toSorted()

  it("go from PGlite on Bun by a file to PostgreSQL on Node, and show the same by the API", async () => {
    const written = await runCli("bun", folder.path, ["backup", "--out", file])
    expect(written.out).toMatch(/^Backed up \d+ rows of \d+ tables and verified the file\n$/)
    expect(written.code).toBe(0)
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    const text = gunzipSync(await readFile(file)).toString("utf8")
    expect(text).toContain("copied@people.example")
    expect(text).not.toContain(secretKey)

    const url = await emptyDatabase()
    const env = { SVC_STORE: url }
    const restored = await runCli("node", folder.path, ["restore", file], env)
    expect(restored).toMatchObject({ code: 0 })
    expect(restored.out).toMatch(/^Restored \d+ rows of \d+ tables and verified them\n$/)
    expect(sorted(await dumpAt(url))).toEqual(sorted(rows))

    const again = await runCli("node", folder.path, ["restore", file], env)
    expect([again.code, again.err]).toEqual([
      1,
      expect.stringMatching(/^svc: The target database is not empty: .*\n$/)
    ])
    const target = await startEmbedded({ store: { url }, secretKey })
    expect(await views(target, full)).toEqual(shown)
    const beside = await runCli("node", folder.path, ["restore", file], env)
    expect([beside.code, beside.err]).toEqual([
      1,
      expect.stringMatching(/^svc: A service uses the target database \(\d+ connections\): .*\n$/)
    ])
    await target.stop()
  })

  it("are refused from a file that is damaged, cut off or none", async () => {
    const url = await emptyDatabase()
    const restoring = async (path: string) => {
      const { code, err } = await runCli("node", folder.path, ["restore", path], { SVC_STORE: url })
      expect(code).toBe(1)
      return linesOf(err)
    }
    const other = join(folder.path, "other")
    expect(await restoring(other)).toEqual([`svc: ${other} cannot be read: ENOENT`])
    await writeFile(other, "no backup")
    expect(await restoring(other)).toEqual([`svc: ${other} is no file of svc backup`])
    const whole = await readFile(file)
    const lines = gunzipSync(whole).toString("utf8").split("\n")
    const row = lines.findIndex((line) => line.startsWith('"'))
    const end = lines.findIndex((line) => line.startsWith('{"end"'))
    const contacts = lines.indexOf('{"table":"contacts"}')
    const contactsEnd = lines.findIndex((line) => line.startsWith('{"end":"contacts"'))
    expect(contactsEnd).toBeGreaterThan(contacts + 1)
    for (const [changed, why] of [
      [
        lines.with(0, '{"svc":"backup","format":1,"id":"x","at":"x","schema":"x"}'),
        "is damaged, or was cut off"
      ],
      [
        lines.with(
          0,
          lines[0]!.replace(/(?<="sequences":.*?"value":")\d/, (digit) => (digit === "9" ? "8" : "9"))
        ),
        "is damaged, or was cut off"
      ],
      [
        lines.with(0, lines[0]!.replace('"written":["account_id",', '"written":[')),
        "is damaged, or was cut off"
      ],
      [lines.toSpliced(row, 0, "null"), "is damaged, or was cut off"],
      [lines.toSpliced(end, 1), "is damaged, or was cut off"],
      [lines.toSpliced(row, 0, lines[row]!), "is not as it was backed up"],
      [lines.toSpliced(row, 0, '"("'), "is not as it was backed up"],
      [lines.toSpliced(contacts, contactsEnd + 1 - contacts), "table contacts is not as it was backed up"]
    ] as const) {
      await writeFile(other, gzipSync(changed.join("\n")))
      expect(await restoring(other)).toEqual([expect.stringContaining(why)])
    }
    await writeFile(
      other,
      gzipSync(gunzipSync(whole).toString("utf8").replace("copied@people", "c0pied@people"))
    )
    expect(await restoring(other)).toEqual([expect.stringContaining("is not as it was backed up")])

    // A small file is decompressed completely before any of it is read.
    await writeFile(other, whole.with(100, whole[100]! ^ 1))
    expect(await restoring(other)).toEqual([`svc: ${other} is damaged, or was cut off`])

    const half = await emptyDatabase()
    await writeFile(other, whole)
    await truncate(other, Math.floor(whole.length / 2))
    const cut = await runCli("node", folder.path, ["restore", other], { SVC_STORE: half })
    expect([cut.code, cut.err]).toEqual([1, `svc: ${other} is damaged, or was cut off\n`])
    const started = await runCli("node", folder.path, ["migrate"], { SVC_STORE: half })
    expect([started.code, started.err]).toEqual([1, expect.stringContaining("unfinished restore")])
  })

  it("go on after a kill, and migrate everything", async () => {
    await Effect.runPromise(
      Effect.scoped(
        Effect.provide(
          Effect.flatMap(PgClient.PgClient, (sql) => sql.unsafe(many)),
          embedded(data)
        )
      )
    )
    const all = await dumpOf(embedded(data))
    const url = await emptyDatabase()
    const args = ["migrate-store", "--from", data, "--to", url]
    const [program, script] = cliOf("node")
    const killed = spawn(program, [script, ...args], { cwd: folder.path, stdio: "ignore" })
    const ended = new Promise((resolve) => killed.once("close", resolve))
    // Delays the copy once it has begun with the table, until it is killed.
    await Effect.flatMap(PgClient.PgClient, (sql) =>
      sql.withTransaction(
        Effect.gen(function* () {
          yield* sql.unsafe("set local statement_timeout = '200s'")
          yield* sql.unsafe(`do $$ begin
            loop
              exit when exists (select from pg_class where relname = 'svc_transfer_tables');
              perform pg_sleep(0.005);
            end loop;
            while not exists (select from svc_transfer_tables where name = 'timeline') loop
              perform pg_sleep(0.001);
            end loop;
            lock table timeline in share mode;
          end $$`)
          killed.kill("SIGKILL")
          yield* Effect.promise(() => ended)
        })
      )
    ).pipe(Effect.provide(PgClient.layer({ url: Redacted.make(url), maxConnections: 1 })), Effect.runPromise)
    const [found] = await query<{ rows: number }>(url, "select count(*)::int as rows from timeline")
    expect(found!.rows).toBeGreaterThan(0)
    expect(found!.rows).toBeLessThan(9_000)

    const resumed = await runCli("bun", folder.path, args)
    expect(resumed.err).not.toContain("svc:")
    expect(resumed.out).toMatch(
      /^Copied \d+ rows of \d+ tables and verified them, continuing an interrupted run\n$/
    )
    expect(resumed.code).toBe(0)
    expect(resumed.out + resumed.err).not.toContain(secretKey)
    expect(sorted(await dumpAt(url))).toEqual(sorted(all))
    const made = "select indexdef from pg_indexes where schemaname = 'public' order by 1"
    const migrated = await emptyDatabase()
    await runCli("node", folder.path, ["migrate"], { SVC_STORE: migrated })
    expect(await query(url, made)).toEqual(await query(migrated, made))
    await execute(
      url,
      "insert into suppressions select account_id, 'a@b.example', 'Bounced', now() from accounts limit 1"
    )
    const target = await startEmbedded({ store: { url }, secretKey })
    const health = await target.fetch("/health/ready")
    expect(health.status).toBe(200)
    await target.stop()
  })
})
