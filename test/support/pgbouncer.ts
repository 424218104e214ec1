/**
 * Runs PgBouncer in front of a database, if its package is installed.
 *
 * @module
 */
import { execFileSync, spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { freePort } from "./freePort.ts"

const program = "/usr/sbin/pgbouncer"

/** Why tests cannot use PgBouncer; null if they can. */
export const pgbouncerMissing: string | null = existsSync(program) ? null : `no ${program}`

export interface PgBouncer {
  /** The URL of the database through PgBouncer. */
  readonly url: string
  readonly stop: () => Promise<void>
}

const isRoot = process.getuid?.() === 0
const idOf = (flag: string): number => Number(execFileSync("id", [flag, "nobody"], { encoding: "utf8" }))

/**
 * Starts PgBouncer in front of the database of `url`, with fewer server sessions than a process of the service has connections.
 *
 * @param ignored the value of `ignore_startup_parameters`
 */
export const startPgBouncer = async (
  url: string,
  mode: "session" | "transaction",
  ignored: string
): Promise<PgBouncer> => {
  const target = new URL(url)
  const pooled = new URL(url)
  pooled.port = String(await freePort())
  const folder = await mkdtemp(join(tmpdir(), "svc-pgbouncer-"))
  // PgBouncer refuses to run as root. It runs as another user, who must be able to read its settings.
  await chmod(folder, 0o755)
  const settings = join(folder, "pgbouncer.ini")
  await writeFile(
    settings,
    [
      "[databases]",
      `* = host=${target.hostname} port=${target.port} user=${target.username} password=${target.password}`,
      "[pgbouncer]",
      "listen_addr = 127.0.0.1",
      `listen_port = ${pooled.port}`,
      "unix_socket_dir =",
      "auth_type = any",
      `pool_mode = ${mode}`,
      `default_pool_size = ${mode === "session" ? 30 : 4}`,
      `ignore_startup_parameters = ${ignored}`
    ].join("\n")
  )
  const server = spawn(program, [settings], {
    ...(isRoot ? { uid: idOf("-u"), gid: idOf("-g") } : {}),
    stdio: ["ignore", "ignore", "pipe"]
  })
  const ended = new Promise<void>((resolve) => server.once("close", () => resolve()))
  await new Promise<void>((resolve, reject) => {
    let log = ""
    server.stderr.on("data", (chunk: Buffer) => {
      log += String(chunk)
      if (log.includes("process up")) resolve()
    })
    server.once("error", reject)
    void ended.then(() => reject(new Error(`PgBouncer ended: ${log}`)))
  })
  return {
    url: pooled.href,
    stop: async () => {
      server.kill("SIGQUIT")
      await ended
      await rm(folder, { recursive: true })
    }
  }
}
