/**
 * Tests how an unusable database is reported: at a start, by `svc migrate`, by the doctor and by the embedded service.
 *
 * @module
 */
import { randomBytes } from "node:crypto"
import { once } from "node:events"
import { type AddressInfo, createServer } from "node:net"
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest"
import { start as startEmbedded } from "../../runtimes/embedded/index.ts"
import { linesOf, runCli } from "../support/cli.ts"
import { startOldPostgres } from "../support/oldPostgres.ts"
import { execute, emptyDatabase } from "../support/postgres.ts"
import { useServers } from "../support/servers.ts"

const { folder, start } = useServers({ fresh: true })

const password = "a-password-nobody-may-see"
const suffix = randomBytes(6).toString("hex")
const limited = `limited_${suffix}`

let address: string
/** A URL of the test run's server, changed. */
const changed = (change: (url: URL) => void, from = inject("postgresUrl")): string => {
  const url = new URL(from)
  change(url)
  return url.href
}

const doctorOf = async (url: string) => {
  const { out } = await runCli("node", folder(), ["doctor", "--json", "--probe", "no.test"], {
    SVC_STORE: url,
    SVC_PORT: "0",
    SVC_SMTP_PORTS: "",
    SVC_DNS_SERVERS: "127.0.0.1:9"
  })
  expect(out).not.toContain(password)
  const { findings } = JSON.parse(out) as {
    readonly findings: ReadonlyArray<{
      readonly check: string
      readonly verdict: string
      readonly detail: string
      readonly fix: string | null
    }>
  }
  return (check: string) =>
    findings
      .filter((one) => one.check === check)
      .map(({ detail, fix, verdict }) => `${verdict} ${detail}. ${fix ?? ""}`)
}

const migrateOf = async (url: string, runtime: "node" | "bun" = "node") => {
  const { code, err, out } = await runCli(runtime, folder(), ["migrate"], { SVC_STORE: url })
  expect([code, out]).toEqual([1, ""])
  expect(err).not.toContain(password)
  return linesOf(err)
}

const embeddedOf = async (url: string) => {
  const failed = await startEmbedded({ store: { url } }).then(
    () => "started",
    (error: unknown) => (error instanceof Error ? error.message : "no error")
  )
  expect(failed).not.toContain(password)
  return failed
}

beforeAll(async () => {
  address = new URL(inject("postgresUrl")).host
  await execute(inject("postgresUrl"), `create user ${limited} password '${password}'`)
})
afterAll(async () => {
  await execute(inject("postgresUrl"), `drop owned by ${limited}`, `drop user ${limited}`)
})

describe("a database that cannot be used", { timeout: 240_000 }, () => {
  it("is explained by a start, a migration, the doctor and the embedded service with the same words", async () => {
    const url = changed((one) => {
      one.password = password
    })
    const words = `PostgreSQL at ${address} refuses the login of user postgres: wrong password or no such user. Check user and password in SVC_STORE`
    const server = start("node", { SVC_STORE: url })
    expect((await server.ended).code).toBe(1)
    expect(linesOf(server.err())).toEqual([`Cannot use the database: ${words}`])
    expect(await migrateOf(url)).toEqual([`svc: Cannot use the database: ${words}`])
    expect(await migrateOf(url, "bun")).toEqual([`svc: Cannot use the database: ${words}`])
    expect((await doctorOf(url))("store")).toEqual([`fail ${words}`])
    expect(await embeddedOf(url)).toBe(words.replace("SVC_STORE", "store.url"))
  })

  it("is named with its host and port where it is unreachable, silent or not PostgreSQL", async () => {
    const other = createServer((socket) => {
      socket.on("error", () => socket.destroy())
      socket.once("data", () => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n"))
    }).listen(0, "127.0.0.1")
    await once(other, "listening")
    const { port } = other.address() as AddressInfo
    const at = (host: string) =>
      changed((one) => {
        one.host = host
        one.password = password
      })
    expect(await migrateOf(at(`127.0.0.1:${port}`))).toEqual([
      `svc: Cannot use the database: PostgreSQL at 127.0.0.1:${port} is something else than PostgreSQL. Check host and port in SVC_STORE`
    ])
    other.close()
    await once(other, "close")
    expect(await migrateOf(at(`127.0.0.1:${port}`))).toEqual([
      `svc: Cannot use the database: PostgreSQL at 127.0.0.1:${port} cannot be reached: nothing listens there (ECONNREFUSED). ` +
        "Check that it runs, and host and port in SVC_STORE"
    ])
    expect(await migrateOf(at("db.invalid:5433"))).toEqual([
      expect.stringMatching(
        /^svc: Cannot use the database: PostgreSQL at db\.invalid:5433 cannot be reached: its host name has no address \(E\w+\)\. /
      )
    ])
  })

  it("is named where it does not exist, or wants what the server does not have", async () => {
    const missing = changed((one) => {
      one.pathname = "/no_such_database"
    })
    expect(await embeddedOf(missing)).toBe(
      `PostgreSQL at ${address} has no database no_such_database. Create it, as in: createdb, or correct its name in store.url`
    )
    expect(await migrateOf(changed((one) => one.searchParams.set("sslmode", "require")))).toEqual([
      expect.stringContaining(`PostgreSQL at ${address} does not offer TLS, which sslmode asks for`)
    ])
  })

  it("is explained with its version where it is too old", async () => {
    const old = await startOldPostgres("14.9 (Debian 14.9-1)", 140_009)
    const words = /PostgreSQL 14\.9 is too old\. Use PostgreSQL 1\d or newer$/
    expect(await embeddedOf(old.url)).toMatch(words)
    expect(await migrateOf(old.url)).toEqual([expect.stringMatching(words)])
    old.stop()
  })

  it("is explained with the right that its user lacks, to migrate and to run", async () => {
    const owner = await emptyDatabase()
    const url = changed((one) => {
      one.username = limited
      one.password = password
    }, owner)
    const name = new URL(owner).pathname.slice(1)
    const create =
      `User ${limited} may not create tables in schema public of database ${name}. ` +
      `As its owner run: GRANT CREATE ON SCHEMA "public" TO "${limited}"`
    expect(await migrateOf(url)).toEqual([`svc: Cannot use the database: ${create}`])
    expect(await embeddedOf(url)).toBe(create)
    expect((await doctorOf(url))("database user")).toEqual([`fail ${create}`])

    // Another user created the tables, so the service may neither use nor change them.
    await (await startEmbedded({ store: { url: owner }, secretKey: "k".repeat(40) })).close()
    expect(await embeddedOf(url)).toMatch(
      new RegExp(
        `^PostgreSQL at ${address} denies user ${limited} a right in database ${name}: permission denied for table`
      )
    )
    await execute(owner, `grant select on svc_migrations to ${limited}`)
    const tables = new RegExp(
      `^(svc: Cannot use the database: )?User ${limited} may not read and write table \\w+ of database ${name}\\. ` +
        `Connect as postgres, or run: GRANT "postgres" TO "${limited}"$`
    )
    expect(await embeddedOf(url)).toMatch(tables)
    await execute(owner, `grant select, insert, update, delete on all tables in schema public to ${limited}`)
    const report = await doctorOf(url)
    expect(report("database user")).toEqual([`warn ${create}`])
    const running = await startEmbedded({ store: { url }, secretKey: "k".repeat(40) })
    await running.close()
    await execute(owner, `drop owned by ${limited}`)
  })

  it("is not looked for where the connection URL is wrong: the reason quotes nothing of it", async () => {
    const urls: ReadonlyArray<readonly [string, RegExp]> = [
      [
        `postgres://svc:${password}@ss/word@localhost/svc`,
        /unescaped character, such as @, \/, \? or #: encode it, as in %40 for @/
      ],
      [`postgres://svc:${password}#1@localhost/svc`, /unescaped character/],
      [`postgres://svc:12#${password}@localhost/svc`, /unescaped character/],
      [`postgres://svc:12?${password}@localhost/svc`, /unescaped character/],
      [`postgres://svc:${password}/1@localhost/svc`, /unescaped character/],
      [`postgres://svc:100%${password}@localhost/svc`, /a % in it begins no escape/],
      [`postgres://svc:${password}@localhost:port/svc`, /its port is no number from 1 to 65535/],
      [`postgres://svc:${password}@local host/svc`, /it has no valid host/],
      [
        `postgres://svc:${password}@localhost/svc?sslmode=always`,
        /its parameter sslmode is none of disable, /
      ]
    ]
    for (const [url, reason] of urls) {
      expect(await embeddedOf(url)).toMatch(reason)
      expect(await embeddedOf(url)).toMatch(/^store\.url is no connection URL: /)
    }
    const [[first, reason]] = urls as [readonly [string, RegExp]]
    const lines = await migrateOf(first)
    expect(lines).toEqual([expect.stringMatching(reason)])
    expect(lines[0]).toMatch(/^svc: SVC_STORE is invalid: expected /)
  })
})
