/**
 * Measures how long the server takes to start with the embedded database, and its memory afterwards, compared with first opening
 * a bare PGlite.
 *
 * @module
 */
import { spawn } from "node:child_process"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { freshFolder, type Runtime, startServer } from "../support/serverProcess.ts"
import { median, rounds } from "./measure.ts"

/** How long a process took to be ready, in milliseconds, and its memory then, in megabytes. */
interface Start {
  readonly wall: number
  readonly memory: number
}

const root = join(import.meta.dirname, "../..")

const megabytesOf = async (pid: number): Promise<number> => {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "")
  return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / 1024
}

/** Runs a process that opens a bare PGlite in a folder for the first time. */
const openBare = async (folder: string): Promise<Start> => {
  const script = `import { PGlite } from "@electric-sql/pglite"
await new PGlite(${JSON.stringify(join(folder, "bare"))}).waitReady
console.log("ready")
setInterval(() => undefined, 1000)`
  const from = performance.now()
  const child = spawn(process.execPath, ["--input-type=module", "--eval", script], { cwd: root })
  await new Promise((resolve) => child.stdout.once("data", resolve))
  const start = { wall: performance.now() - from, memory: await megabytesOf(child.pid!) }
  child.kill("SIGKILL")
  return start
}

const startOnce = async (runtime: Runtime, folder: string): Promise<Start> => {
  const from = performance.now()
  const server = startServer(runtime, folder, {}, undefined, true)
  await server.ready()
  const start = { wall: performance.now() - from, memory: await megabytesOf(server.pid) }
  server.signal("SIGTERM")
  await server.ended
  return start
}

/** Measures in alternating rounds, and prints the medians and their ratios. */
export const benchStarts = async (): Promise<void> => {
  const names = ["a bare PGlite", "first, node", "warm, node", "first, bun", "warm, bun"] as const
  const taken = new Map<string, Array<Start>>(names.map((name) => [name, []]))
  for (let round = 0; round < rounds; round++) {
    const bare = await freshFolder()
    taken.get(names[0])!.push(await openBare(bare.path))
    await bare.remove()
    for (const runtime of ["node", "bun"] as const) {
      const folder = await freshFolder()
      for (const kind of ["first", "warm"])
        taken.get(`${kind}, ${runtime}`)!.push(await startOnce(runtime, folder.path))
      await folder.remove()
    }
  }
  const bare = median(taken.get(names[0])!.map(({ wall }) => wall))
  for (const [name, starts] of taken) {
    const wall = median(starts.map((one) => one.wall))
    const memory = median(starts.map((one) => one.memory))
    console.log(
      `${name.padEnd(16)} ${wall.toFixed(0).padStart(6)} ms, ${(wall / bare).toFixed(2)} of a bare PGlite; ${memory.toFixed(0)} MB`
    )
  }
}
