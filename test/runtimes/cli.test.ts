/**
 * Tests the command line as a process: help, invalid calls, start and migrate.
 *
 * @module
 */
import { spawn } from "node:child_process"
import { mkdir, readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { leastNode, whyTooOld } from "../../runtimes/server/requirements.ts"
import { callCli, cliOf, linesOf, runCli } from "../support/cli.ts"
import { execute, emptyDatabase } from "../support/postgres.ts"
import type { Runtime } from "../support/serverProcess.ts"
import { useServers } from "../support/servers.ts"

const runtimes: ReadonlyArray<Runtime> = ["node", "bun"]

const commands = [
  [],
  ["start"],
  ["migrate"],
  ["backup"],
  ["restore"],
  ["migrate-store"],
  ["doctor"],
  ["secrets"],
  ["secrets", "rotate"],
  ["secrets", "reset"],
  ["accounts"],
  ["accounts", "list"],
  ["keys"],
  ["keys", "create"],
  ["keys", "list"],
  ["keys", "revoke"],
  ["login"],
  ["tokens"],
  ["tokens", "create"],
  ["tokens", "list"],
  ["tokens", "revoke"],
  ["audit"],
  ["audit", "list"],
  ["audit", "export"],
  ["audit", "verify"],
  ["sources"],
  ["sources", "list"],
  ["sources", "add"],
  ["sources", "check"],
  ["sources", "warm-up"],
  ["sources", "pause"],
  ["sources", "activate"],
  ["shaping"],
  ["shaping", "classify"],
  ["shaping", "explain"],
  ["shaping", "notices"],
  ["shaping", "lanes"],
  ["shaping", "providers"],
  ["shaping", "override"],
  ["shaping", "suspend"],
  ["shaping", "resume"],
  ["shaping", "flush"],
  ["shaping", "bounce"],
  ["standing"],
  ["users"],
  ["users", "list"],
  ["users", "invite"],
  ["users", "disable"],
  ["users", "sign-out"],
  ["users", "reset"],
  ["send-test"],
  ["trigger"],
  ["listen"],
  ["export"],
  ["import"]
]

const { folder, start } = useServers()

/** Invalid calls, with the line that each prints to standard error. */
const badCalls: ReadonlyArray<readonly [args: ReadonlyArray<string>, line: RegExp]> = [
  [[], /^svc: svc: a command is missing; see svc --help$/],
  [["keys"], /^svc: svc keys: a command is missing; see svc keys --help$/],
  [["strat"], /^svc: Unknown subcommand "strat".*start.*; see svc --help$/],
  [["keys", "create"], /^svc: Missing required flag: --\w+; see svc keys create --help$/],
  [["migrate", "--chekc"], /^svc: Unrecognized flag: --chekc.*--check.*; see svc migrate --help$/],
  [["listen"], /^svc: Missing required flag: --forward-to; see svc listen --help$/],
  [["listen", "--forward-to", "localhost:4000"], /^svc: --forward-to must be an http or https URL, /],
  [["send-test", "--to", "a@b.example", "--wait", "0"], /^svc: Invalid value for flag --wait: "0".*; see /],
  [["backup"], /^svc: Missing required flag: --out; see svc backup --help$/],
  [
    ["migrate-store", "--from", "data"],
    /^svc: --to must be the URL of a PostgreSQL database, such as postgres:/
  ],
  [["export", "--account", "x"], /^svc: Missing required flag: --out; see svc export --help$/],
  [["import", "--account", "x"], /^svc: Missing required argument: file; see svc import --help$/],
  [
    ["keys", "create", "--account", "x", "--name", "n", "--permissions", "fly", "--expires-in-days", "30"],
    /^svc: --permissions takes all, or any of contacts:read, /
  ]
]

it("the command line rejects a Node that is too old on one line", async () => {
  const older = `Object.defineProperty(process, "versions", { value: { ...process.versions, node: "22.12.0" } })`
  const preload = join(folder(), "older.mjs")
  await writeFile(preload, older)
  const env = { NODE_OPTIONS: `--import ${preload}`, SVC_STORE: "memory" }
  const err = "Node 22.13 or newer is needed, and this is Node 22.12.0\n"
  expect(await runCli("node", folder(), ["start"], env)).toEqual({ code: 1, out: "", err: `svc: ${err}` })
  const server = start("node", env)
  expect(await server.ended).toEqual({ code: 1, signal: null })
  expect(server.err()).toBe(err)
})

it("the command line requires the Node version of package.json", async () => {
  const { engines } = JSON.parse(await readFile(join(import.meta.dirname, "../../package.json"), "utf8")) as {
    engines: { node: string }
  }
  expect(engines.node).toBe(`>=${leastNode.major}.${leastNode.minor}`)
  expect(whyTooOld({ node: "22.13.0" })).toBeNull()
  expect(whyTooOld({ node: "24.0.0" })).toBeNull()
  expect(whyTooOld({ node: "20.99.9" })).toMatch(/Node 20\.99\.9$/)
  expect(whyTooOld({ node: "20.0.0", bun: "1.4.5" })).toBeNull()
})

for (const runtime of runtimes) {
  const svc = (args: ReadonlyArray<string>, env?: Readonly<Record<string, string>>) =>
    runCli(runtime, folder(), args, env)

  describe(`the command line on ${runtime}`, { timeout: 240_000 }, () => {
    it("prints help for each command on standard output", async () => {
      const calls = commands.map((command) => [...command, "--help"])
      const texts = (await callCli(runtime, folder(), calls)).map(({ code, err, out }, index) => {
        expect([code, err]).toEqual([0, ""])
        return `$ svc ${calls[index]!.join(" ")}\n${out}`
      })
      await expect(texts.join("\n")).toMatchFileSnapshot("__snapshots__/help.txt")
    })

    it("prints its version", async () => {
      const { version } = JSON.parse(
        await readFile(join(import.meta.dirname, "../../package.json"), "utf8")
      ) as { version: string }
      expect(await svc(["--version"])).toEqual({ code: 0, out: `svc v${version}\n`, err: "" })
    })

    it("rejects invalid calls with one line on standard error and exit code 2", async () => {
      const calls = badCalls.map(([args]) => args)
      const results = await callCli(runtime, folder(), calls)
      badCalls.forEach(([args, line], index) => {
        const { code, err, out } = results[index]!
        expect([args, code, out]).toEqual([args, 2, ""])
        expect(linesOf(err)).toEqual([expect.stringMatching(line)])
      })
      expect(await svc(calls[1]!)).toEqual(results[1])
    })

    it("starts the server of its runtime, which stops at SIGTERM", async () => {
      const ready = join(folder(), "ready.json")
      const [program, script] = cliOf(runtime)
      const child = spawn(program, [script, "start"], {
        cwd: folder(),
        stdio: ["ignore", "pipe", "pipe"],
        env: {
          PATH: process.env["PATH"],
          SVC_STORE: "memory",
          SVC_PORT: "0",
          SVC_SMTP_PORTS: "",
          SVC_READY_FILE: ready,
          SVC_LOG_LEVEL: "warn"
        }
      })
      const ended = new Promise((resolve) => child.once("close", (code) => resolve(code)))
      try {
        const facts = () => readFile(ready, "utf8").catch(() => null)
        await expect.poll(facts, { timeout: 60_000 }).not.toBeNull()
        const { baseUrl } = JSON.parse((await facts())!) as { baseUrl: string }
        expect((await fetch(`${baseUrl}/health/live`)).status).toBe(200)
        child.kill("SIGTERM")
        expect(await ended).toBe(0)
      } finally {
        child.kill("SIGKILL")
      }
    })

    it("names an invalid value when it starts or migrates", async () => {
      const env = { SVC_PORT: "eighty" }
      for (const { code, err, out } of await Promise.all([svc(["start"], env), svc(["migrate"], env)])) {
        expect([code, out]).toEqual([1, ""])
        expect(linesOf(err)).toEqual([expect.stringContaining("SVC_PORT is invalid: expected ")])
      }
    })

    it("migrates a database, and prints the versions before and after", async () => {
      const url = await emptyDatabase()
      const env = { SVC_STORE: url }
      const behind = await svc(["migrate", "--check"], env)
      expect([behind.code, behind.err]).toEqual([1, ""])
      expect(behind.out).toMatch(/^The store has schema 0, and this version needs \d+: run svc migrate\n$/)
      const migrated = await svc(["migrate"], env)
      expect(migrated).toMatchObject({ code: 0, err: "" })
      const [, to] = /^The store was migrated from schema 0 to (\d+)\n$/.exec(migrated.out) ?? []
      const current = { code: 0, out: `The store has schema ${to}, which is current\n`, err: "" }
      expect(await svc(["migrate", "--check"], env)).toEqual(current)
      expect(await svc(["migrate"], env)).toEqual(current)

      await execute(url, "insert into svc_migrations (version) values (9999)")
      for (const args of [["migrate"], ["migrate", "--check"]]) {
        expect(await svc(args, env)).toEqual({
          code: 1,
          out: "",
          err: `svc: The database has schema 9999, which is newer than ${to}, the schema of this version. Start the newer version of the service again\n`
        })
      }
    })

    it("migrates the embedded database, which one process can open", async () => {
      const data = join(folder(), "data")
      expect((await svc(["migrate", "--check"])).code).toBe(1)
      expect((await svc(["migrate"])).out).toMatch(/^The store was migrated from schema 0 to \d+\n$/)
      await start(runtime).ready()
      expect(await svc(["migrate"])).toEqual({
        code: 1,
        out: "",
        err: `svc: The data directory ${data} is in use by another process\n`
      })
    })

    it("fails to migrate memory or an unreachable database, with one line", async () => {
      expect(await svc(["migrate"], { SVC_STORE: "memory" })).toEqual({
        code: 1,
        out: "",
        err: "svc: SVC_STORE is memory: there is nothing to migrate\n"
      })
      await mkdir(join(folder(), "data"), { recursive: true })
      const secret = "a-very-secret-password"
      const away = await svc(["migrate"], { SVC_STORE: `postgres://svc:${secret}@127.0.0.1:1/none` })
      expect([away.code, away.out]).toEqual([1, ""])
      expect(linesOf(away.err)).toEqual([expect.stringMatching(/^svc: Cannot use the database: /)])
      expect(away.err).not.toContain(secret)
    })
  })
}
