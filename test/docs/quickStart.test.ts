/**
 * The quick start, followed as a newcomer does: its blocks in order, in one shell, against the server that its first
 * block starts. Only the ports, the data directory and the installation of dependencies differ.
 *
 * @module
 */
import { execFile, spawn } from "node:child_process"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { api } from "../support/calls.ts"
import { blocksOf, sourceOf } from "./blocks.ts"

const run = promisify(execFile)
const root = join(import.meta.dirname, "../..")
const blocks = blocksOf("quick-start")

/** The time limit of `npm start` on a busy machine, milliseconds. */
const startMillis = 100_000

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

describe("the quick start", () => {
  let folder = ""
  let printed = ""
  let stop = async (): Promise<void> => {}

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "svc-quick-start-"))
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
        SVC_DATA_DIR: join(folder, "data")
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
  const shell = async (code: string): Promise<string> => {
    const script = `touch ${state()}; . ${state()}; set -euo pipefail\n${code}\nexport -p > ${state()}\n`
    return (await run("bash", ["-c", script], { cwd: folder })).stdout
  }
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

  it("has the effects it describes, block by block", async () => {
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
      const path = `/manage/v1/accounts/${values["SANDBOX_ACCOUNT"]}/inbox`
      type Inbox = { readonly items: ReadonlyArray<{ readonly subject: string }> }
      const { value } = await api<Inbox>(values["BASE"]!, values["MANAGEMENT_TOKEN"]!, path)
      return value.items.map(({ subject }) => subject).sort()
    }
    await expect.poll(inbox, { timeout: 20_000 }).toEqual(["By SMTP", "Hello", "Your receipt"])
  })
})
