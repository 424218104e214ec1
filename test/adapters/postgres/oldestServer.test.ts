/**
 * Tests the oldest supported PostgreSQL, if its programs are installed. It lacks the collation `pg_c_utf8`, which the schema and
 * the segments use.
 *
 * @module
 */
import { existsSync } from "node:fs"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { fold } from "../../../adapters/postgres/segments/Compiler.ts"
import { foldCase } from "../../../core/shared/Validate.ts"
import { ordersSuite } from "../../api/suites/orders.ts"
import { segmentsSuite } from "../../api/suites/segments.ts"
import { query } from "../../support/postgres.ts"
import { type PostgresServer, startPostgresServer } from "../../support/postgresServer.ts"
import { startEmbedded, type Target } from "../../support/targets.ts"

/** The folder in which the packages of Debian and Ubuntu install the programs. */
const programs = "/usr/lib/postgresql/15/bin"

const isInstalled = existsSync(`${programs}/initdb`)

/** Letters whose lower case is older than any Unicode version of a supported system. */
const ranges = [
  [0x20, 0x52f],
  [0x531, 0x58a],
  [0x10a0, 0x10ff],
  [0x1e00, 0x1fff],
  [0x2c00, 0x2c5f],
  [0x10400, 0x1044f]
] as const

describe.skipIf(!isInstalled)(`PostgreSQL 15${isInstalled ? "" : `: no ${programs}/initdb`}`, () => {
  let server: PostgresServer | undefined
  let running: Target | undefined
  const target = () => running!

  beforeAll(async () => {
    server = await startPostgresServer(["-c", "fsync=off"], programs)
    running = await startEmbedded({ store: { url: server.url } })
  })
  afterAll(async () => {
    await running?.stop()
    await server?.remove()
  })

  it("compares strings without regard to case as the core does", async () => {
    const wrong: Array<unknown> = []
    for (const [from, to] of ranges) {
      const rows = await query<{ code: number; folded: string }>(
        server!.url,
        `select code, ${fold("chr(code)")} as folded from generate_series(${from}, ${to}) as code`
      )
      expect(rows).toHaveLength(to - from + 1)
      wrong.push(...rows.filter(({ code, folded }) => foldCase(String.fromCodePoint(code)) !== folded))
    }
    expect(wrong).toEqual([])
  })

  segmentsSuite(target)
  ordersSuite(target)
})
