/**
 * Runs the long tests one after the other and prints a summary. `npm run soak` runs all of them, `npm run soak -- kills month`
 * only those. All of them take about two hours. A run that exceeds its time limit is killed and counts as failed.
 *
 * SVC_TEST_KILLS, SVC_TEST_OUTAGES, SVC_TEST_PEOPLE and SVC_TEST_MINUTES set the length of each run.
 *
 * @module
 */
import { spawn } from "node:child_process"
import { join } from "node:path"
import { setTimeout as delay } from "node:timers/promises"

const root = join(import.meta.dirname, "../..")
const minute = 60_000

const vitest = (...files: ReadonlyArray<string>): ReadonlyArray<string> => [
  join(root, "node_modules/vitest/vitest.mjs"),
  "run",
  ...files.map((file) => `test/${file}.test.ts`)
]

/** The variables of the runs. The environment overrides the defaults. */
const env: Readonly<Record<string, string | undefined>> = {
  SVC_TEST_KILLS: "50",
  SVC_TEST_OUTAGES: "10",
  SVC_TEST_PEOPLE: "10000",
  SVC_TEST_MINUTES: "10",
  ...process.env
}

interface Run {
  readonly name: string
  /** The arguments of Node. */
  readonly args: ReadonlyArray<string>
  /** The only one of these variables that the run gets. */
  readonly variable: string
  readonly minutes: number
}

const runs: ReadonlyArray<Run> = [
  {
    name: "kills",
    args: vitest("runtimes/kill", "runtimes/sending-kill", "runtimes/events-kill"),
    variable: "SVC_TEST_KILLS",
    minutes: 60
  },
  { name: "outages", args: vitest("runtimes/databaseFaults"), variable: "SVC_TEST_OUTAGES", minutes: 30 },
  { name: "month", args: vitest("month/month"), variable: "SVC_TEST_PEOPLE", minutes: 60 },
  {
    name: "load",
    args: [join(root, "test/bench/main.ts"), "load", env["SVC_TEST_MINUTES"]!],
    variable: "SVC_TEST_MINUTES",
    minutes: Number(env["SVC_TEST_MINUTES"]) + 10
  }
]

const variables = new Set(runs.map(({ variable }) => variable))
const inherited = Object.fromEntries(Object.entries(process.env).filter(([name]) => !variables.has(name)))

type Result = "passed" | "failed" | "timed out"

const runOne = async ({ args, minutes, variable }: Run): Promise<Result> => {
  const child = spawn(process.execPath, args, {
    cwd: root,
    // Its own process group, so that the time limit kills all its processes.
    detached: true,
    stdio: "inherit",
    env: { ...inherited, [variable]: env[variable] }
  })
  const kill = () => {
    try {
      process.kill(-child.pid!, "SIGKILL")
    } catch {
      // It has already ended.
    }
  }
  process.once("exit", kill)
  const ended = new Promise<Result>((resolve) => {
    child.once("close", (code) => resolve(code === 0 ? "passed" : "failed"))
    child.once("error", () => resolve("failed"))
  })
  const limit = new AbortController()
  const timedOut = delay(minutes * minute, "timed out" as const, { signal: limit.signal }).catch(() => ended)
  const result = await Promise.race([ended, timedOut])
  limit.abort()
  kill()
  process.off("exit", kill)
  return result
}

const print = (line: string) => process.stdout.write(`${line}\n`)

const names = process.argv.slice(2)
const unknown = names.filter((name) => runs.every((run) => run.name !== name))
if (unknown.length > 0) {
  print(`Unknown: ${unknown.join(", ")}; the runs are ${runs.map(({ name }) => name).join(", ")}`)
  process.exit(2)
}
// Also kills the run in progress, whose process group does not get the terminal's signal.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1))

const summary: Array<string> = []
let failed = false
for (const run of runs) {
  if (names.length > 0 && !names.includes(run.name)) continue
  const setting = `${run.variable}=${env[run.variable]}`
  print(`\n== ${run.name}: ${setting}, at most ${run.minutes} minutes\n`)
  const from = performance.now()
  const result = await runOne(run)
  failed ||= result !== "passed"
  const took = ((performance.now() - from) / minute).toFixed(1)
  summary.push(`${run.name.padEnd(8)} ${result.padEnd(10)} ${took.padStart(5)} min  ${setting}`)
}
print(`\n== summary\n\n${summary.join("\n")}`)
process.exit(failed ? 1 : 0)
