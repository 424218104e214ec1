/**
 * Tests the shell samples of the documentation by following them as a newcomer does: first the quick start, then every other page
 * in reading order, in one shell and against the server that the first block starts. Only the ports, the data directories and the
 * installation of dependencies differ.
 *
 * @module
 */
import { execFile, spawn } from "node:child_process"
import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest"
import { api } from "../support/calls.ts"
import { sections } from "../../adapters/http/pages/site/SiteContents.ts"
import { prepareDatabase, sharedCode } from "../support/prepared.ts"
import { programOf } from "../support/programs.ts"
import { blocksOf, blockWith, pageNames, sourceOf } from "./blocks.ts"

const run = promisify(execFile)
const root = join(import.meta.dirname, "../..")
const blocks = blocksOf("quick-start")

/** The time limit of `npm start` on a busy machine, milliseconds. */
const startMillis = 300_000

/** The time limit of the samples of a page, which may run a dozen processes, milliseconds. */
const pageMillis = 300_000

/** The other pages that have samples, in reading order. */
const otherPages = sections
  .flatMap(({ pages }) => pages)
  .filter((page) => page !== "quick-start" && samplesOf(page).length > 0)

function samplesOf(page: string) {
  return blocksOf(page).filter(({ language, notRun }) => language === "sh" && notRun === null)
}

/** Every answer in the output of `curl`, which separates them with nothing. */
const answersIn = (output: string): ReadonlyArray<{ readonly isSuccess: boolean }> =>
  output
    .split(/(?<=\})(?=\{"isSuccess")|\n/)
    .filter((text) => text.startsWith('{"isSuccess"'))
    .map((text) => JSON.parse(text) as { readonly isSuccess: boolean })

/** Names and kinds of values, without the values. */
const shapeOf = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(shapeOf)
  if (typeof value !== "object" || value === null) return value === null ? null : typeof value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, shapeOf(inner)]))
}

/** The value that the start printed beside a label. */
const printedAt = (printed: string, label: string): string => {
  const line = printed.split("\n").find((text) => text.trimStart().startsWith(`${label} `))
  return line?.trim().slice(label.length).trim() ?? ""
}

describe("the samples of the documentation", () => {
  let folder = ""
  let printed = ""
  let stop = async (): Promise<void> => {}

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "svc-samples-"))
    await mkdir(join(folder, "bin"))
    prepareDatabase(join(folder, "stopped"))
    await writeFile(
      join(folder, "bin/svc"),
      `#!/bin/sh\nexec ${root}/node_modules/.bin/node ${programOf("runtimes/cli/main")} "$@"\n`
    )
    await chmod(join(folder, "bin/svc"), 0o755)
    const [first] = blocks
    expect(first?.code).toBe("npm ci\nnpm start")
    const child = spawn("bash", ["-c", first!.code.replace("npm ci\n", "")], {
      cwd: root,
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
      env: {
        PATH: process.env["PATH"],
        HOME: process.env["HOME"],
        SVC_PORT: "0",
        SVC_SMTP_PORTS: "0",
        SVC_DATA_DIR: join(folder, "data"),
        ...sharedCode()
      }
    })
    const ended = new Promise<void>((resolve) => child.once("close", () => resolve()))
    const signal = (name: NodeJS.Signals) => {
      try {
        process.kill(-child.pid!, name)
      } catch {
        // The group has ended.
      }
    }
    process.once("exit", () => signal("SIGKILL"))
    stop = async () => {
      signal("SIGTERM")
      const late = setTimeout(() => signal("SIGKILL"), 15_000)
      await ended
      clearTimeout(late)
    }
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (chunk: Buffer) => (printed += chunk))
  })
  afterAll(async () => {
    await stop()
    await rm(folder, { recursive: true, force: true, maxRetries: 3 })
  })

  const state = () => join(folder, "variables")
  // Each block continues in the shell of the one before: what it set is set. Commands that work on the store itself have
  // one that no server uses.
  const shell = async (code: string): Promise<string> => {
    const script = `touch ${state()}; . ${state()}; set -aeuo pipefail\n${code}\nexport -p > ${state()}\n`
    const env = {
      ...sharedCode(),
      PATH: `${join(folder, "bin")}:${process.env["PATH"]}`,
      HOME: process.env["HOME"],
      SVC_DATA_DIR: join(folder, "stopped")
    }
    return (await run("bash", ["-c", script], { cwd: folder, env })).stdout
  }
  const account = () => `/manage/v1/accounts/${printedAt(printed, "Sandbox account")}`
  const manage = <Value>(path: string) =>
    api<Value>(printedAt(printed, "Base URL"), printedAt(printed, "Management token"), account() + path)
  const lastJson = (output: string): unknown => JSON.parse(output.trim().split("\n").at(-1) ?? "")

  it(
    "prints what the page shows",
    async () => {
      await expect.poll(() => printed, { timeout: startMillis }).toContain("curl -sS")
      const shown = blocks.find(({ language }) => language === "text")!.code
      const labels = shown
        .split("\n")
        .slice(1)
        .map((line) => line.trim().split(/ {2,}/)[0]!)
      expect(labels.length).toBeGreaterThan(5)
      for (const label of labels) expect(printedAt(printed, label)).not.toBe("")
      expect(printed).toContain(shown.split("\n")[0])
    },
    startMillis + 10_000
  )

  it("of the quick start have the effects it describes, block by block", async () => {
    const values: Readonly<Record<string, string>> = {
      BASE: printedAt(printed, "Base URL"),
      SMTP: printedAt(printed, "SMTP ports").split(" ")[0]!,
      SANDBOX_ACCOUNT: printedAt(printed, "Sandbox account"),
      SANDBOX_KEY: printedAt(printed, "Sandbox key"),
      MANAGEMENT_TOKEN: printedAt(printed, "Management token")
    }
    const setValue = (line: string): string => {
      const name = /^export (\w+)=/.exec(line)?.[1]
      return name !== undefined && name in values ? `export ${name}='${values[name]}'` : line
    }
    let answer: unknown = null
    let done = 0
    for (const { code, language } of blocks.slice(1)) {
      if (language === "text") continue
      done++
      if (language === "json") {
        expect(shapeOf(answer)).toEqual(shapeOf(JSON.parse(code)))
        continue
      }
      if (language === "js") {
        const file = /in a file `([\w.]+)`/.exec(sourceOf("quick-start"))?.[1]
        await writeFile(join(folder, file!), code)
        continue
      }
      expect(language).toBe("sh")
      const output = await shell(code.split("\n").map(setValue).join("\n"))
      if (!code.includes("curl") || code.includes("smtp://")) continue
      answer = lastJson(output)
      expect(answer).toMatchObject({ isSuccess: true })
      if (!code.includes("Idempotency-Key")) continue
      // The page says: the same line again sends nothing more.
      const { status, value } = lastJson(await shell(code)) as { status: number; value: { id: string } }
      expect(value.id).toBe((answer as { value: { id: string } }).value.id)
      expect(status).toBe(200)
    }
    expect(done).toBe(blocks.length - 2)
    const inbox = async () => {
      type Inbox = { readonly items: ReadonlyArray<{ readonly subject: string }> }
      const { value } = await manage<Inbox>("/inbox")
      return value.items.map(({ subject }) => subject).sort()
    }
    await expect.poll(inbox, { timeout: 20_000 }).toEqual(["By SMTP", "Hello", "Your receipt"])
  })

  it.each(otherPages)(
    "of the page %s succeed",
    async (page) => {
      await writeFile(join(folder, "svc.log"), printed)
      for (const { code } of samplesOf(page)) {
        const output = await shell(code)
        const answers = answersIn(output)
        expect(answers).toHaveLength(code.match(/^ *curl /gm)?.length ?? 0)
        expect(answers.filter(({ isSuccess }) => !isSuccess)).toEqual([])
      }
    },
    pageMillis
  )

  it("send every email that they submit", async () => {
    type Emails = { readonly totalCount: number }
    const count = async (query = "") => (await manage<Emails>(`/emails${query}`)).value.totalCount
    // The page of campaigns waits until its campaign has reached everyone.
    const ofCampaign = await count("?source=Campaign")
    expect(ofCampaign).toBeGreaterThan(0)
    const submitted = ["quick-start", ...otherPages]
      .flatMap((page) => blocksOf(page))
      .filter(({ code }) => code.includes("curl") && code.includes("/api/v1/sending/emails \\"))
    // Besides: send.mjs, the email by SMTP, those of svc send-test and svc trigger, and the one of the flow that a call
    // started.
    await expect.poll(() => count(), { timeout: 20_000 }).toBe(submitted.length + 5 + ofCampaign)
  })
})

describe("the sources of the samples", () => {
  const notRunBlocks = pageNames.flatMap(blocksOf).filter(({ notRun }) => notRun !== null)

  it("mark a block that is not run with a reason that holds", () => {
    const needed: Readonly<Record<string, RegExp>> = {
      "needs Docker": /^docker /m,
      "needs systemd": /\b(systemctl|journalctl)\b/,
      "needs a PostgreSQL server": /^pg_dump |postgres:\/\//m,
      "needs the file that npm pack makes": /\.tgz\b/,
      "runs until it is stopped": /^(svc start|npm start|SVC_.* npm start|svc listen .*|curl -N .*)$/m,
      "asks name servers and mail servers elsewhere": /^svc doctor$/m,
      "works on the database, which the server has open": /^svc (users|audit) /m,
      "for an installation whose secret key is lost": /^svc secrets reset$/m,
      "waits for a user who confirms it in a browser": /^svc login /m,
      "the email is of your own": /^svc why /m,
      "needs a server with SVC_STORE=memory": /\/clock\/advance /m,
      "for an installation that an alert is about": /^journalctl /m
    }
    for (const { code, language, notRun, page } of notRunBlocks) {
      expect([page, language, needed[notRun!]?.test(code)]).toEqual([page, "sh", true])
    }
    expect(notRunBlocks.length).toBeLessThanOrEqual(24)
  })

  it("back up the data without the key that opens its secrets", async () => {
    const folder = await mkdtemp(join(tmpdir(), "svc-backup-"))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    await mkdir(join(folder, "data/postgres"), { recursive: true })
    for (const file of ["secret.key", "lock", "postgres/PG_VERSION"])
      await writeFile(join(folder, "data", file), "x")
    const line = blockWith("operations", "sh", "tar -C")
      .split("\n")
      .find((one) => one.startsWith("tar "))
    const script = `${line!.replace("/var/lib/svc", "data")} && tar -tzf svc-*.tar.gz`
    const listed = (await run("bash", ["-c", script], { cwd: folder })).stdout.split("\n")
    expect(listed).toContain("./postgres/PG_VERSION")
    expect(listed).not.toContain("./secret.key")
  })

  it("use no idempotency key on two pages", () => {
    const pagesOf = new Map<string, Set<string>>()
    for (const { code, page } of pageNames.flatMap(blocksOf)) {
      for (const [, key = ""] of code.matchAll(/idempotency-?key["']?: *["']?([\w-]+)/gi)) {
        pagesOf.set(key, (pagesOf.get(key) ?? new Set()).add(page))
      }
    }
    expect(pagesOf.size).toBeGreaterThan(4)
    expect([...pagesOf].filter(([, pages]) => pages.size > 1)).toEqual([])
  })
})
