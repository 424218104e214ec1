/**
 * Starts server processes as a self-hoster does.
 *
 * @module
 */
import { type ChildProcess, spawn } from "node:child_process"
import { mkdtemp, readFile, rm } from "node:fs/promises"
import { join } from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import { commandWithLimits } from "../../runtimes/node/processMemory.ts"
import { dataFolder, prepareDatabase, sharedCode } from "./prepared.ts"
import { programOf } from "./programs.ts"

/** The runtimes that can run the server. */
export type Runtime = "node" | "bun"

/** The content of the ready file, which the server writes once it listens. */
export interface ReadyFile {
  readonly baseUrl: string
  readonly smtp: ReadonlyArray<{ readonly host: string; readonly port: number; readonly tls: boolean }>
  readonly managementToken: string | null
  readonly sandbox: { readonly accountId: string; readonly apiKey: string } | null
}

/** The exit of a process. */
export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

export interface ServerProcess {
  /** Standard output so far. */
  readonly out: () => string
  /** Standard error so far, without the progress of migrations, which is only printed on a slow machine. */
  readonly err: () => string
  /** Resolves once the server listens and has printed its URLs. Rejects with the output if it ends first. */
  readonly ready: () => Promise<ReadyFile>
  /** The path of the ready file. */
  readonly readyFile: string
  readonly pid: number
  readonly signal: (name: NodeJS.Signals) => void
  readonly ended: Promise<Ended>
}

const root = join(import.meta.dirname, "../..")
const startMillis = 100_000
/** The default `SVC_SMTP_HOST` of servers that use a name server of the test. */
const mailHost = "svc.mail.example"
const keptOutput = 5_000_000

const migrationProgress = /(?:^Migrating: .*\n)+\n*/gm

const collect = (stream: NodeJS.ReadableStream): (() => string) => {
  let text = ""
  stream.on("data", (chunk: Buffer) => {
    text = (text + chunk.toString("utf8")).slice(-keptOutput)
  })
  return () => text
}

/** Makes an empty folder for a server's data. */
export const freshFolder = async (): Promise<{ path: string; remove: () => Promise<void> }> => {
  const path = await mkdtemp(join(dataFolder(), "svc-server-"))
  return { path, remove: () => rm(path, { recursive: true, force: true, maxRetries: 3 }) }
}

/** The servers that are still running. */
const running = new Set<ChildProcess>()
process.once("exit", () => running.forEach((child) => child.kill("SIGKILL")))

/**
 * Starts a server on a free port, with its data and ready file in `folder` and no environment variables except `env`. It is
 * killed with this process at the latest. `program` is the script with its arguments. Unless `fresh`, its embedded database is a
 * copy of a prepared one, and Node is started with the memory limits that the server would set itself.
 */
export const startServer = (
  runtime: Runtime,
  folder: string,
  env: Readonly<Record<string, string>> = {},
  program: ReadonlyArray<string> = [programOf(`runtimes/${runtime}/main`)],
  fresh = false
): ServerProcess => {
  const dataDirectory = env["SVC_DATA_DIR"] ?? join(folder, "data")
  if (!fresh && (env["SVC_STORE"] ?? "embedded") === "embedded") prepareDatabase(dataDirectory)
  // A live domain requires a mail host name of the installation.
  const named = env["SVC_DNS_SERVERS"] !== undefined && env["SVC_SMTP_HOST"] === undefined
  const readyFile = join(folder, `ready-${Math.random().toString(36).slice(2)}.json`)
  const execPath = join(root, "node_modules/.bin", runtime)
  const variables = {
    PATH: process.env["PATH"],
    HOME: process.env["HOME"],
    SVC_PORT: "0",
    SVC_SMTP_PORTS: "",
    SVC_DATA_DIR: dataDirectory,
    SVC_READY_FILE: readyFile,
    SVC_LOG_LEVEL: "warn",
    ...(named ? { SVC_SMTP_HOST: mailHost } : {}),
    // All calls of a test come from one address.
    SVC_MAX_CONNECTIONS_PER_NETWORK: "1000",
    ...sharedCode(),
    ...env
  }
  // The server would otherwise restart Node with these limits, which takes a tenth of its start time.
  const limited =
    fresh || runtime === "bun"
      ? null
      : commandWithLimits({ execPath, execArgv: [], argv: [execPath, ...program], env: variables })
  const child: ChildProcess & { stdout: NodeJS.ReadableStream; stderr: NodeJS.ReadableStream } = spawn(
    execPath,
    limited?.args.slice(1) ?? program,
    { cwd: folder, stdio: ["ignore", "pipe", "pipe"], env: limited?.env ?? variables }
  )
  const out = collect(child.stdout)
  const allErr = collect(child.stderr)
  const err = () => allErr().replace(migrationProgress, "")
  running.add(child)
  const ended = new Promise<Ended>((resolve) =>
    child.once("close", (code, signal) => {
      running.delete(child)
      resolve({ code, signal })
    })
  )
  /** Whether the lines printed before the ready file have arrived through the pipe. */
  const hasPrinted = ({ baseUrl, sandbox }: ReadyFile): boolean =>
    /^svc (listens|works) .*\n/m.test(out()) &&
    (baseUrl === null || sandbox === null || /^curl .*\n/m.test(out()))
  const ready = async (): Promise<ReadyFile> => {
    const until = Date.now() + startMillis
    while (child.exitCode === null && child.signalCode === null && Date.now() < until) {
      const text = await readFile(readyFile, "utf8").catch(() => null)
      const facts = text === null ? null : (JSON.parse(text) as ReadyFile)
      if (facts !== null && hasPrinted(facts)) {
        return named ? { ...facts, smtp: facts.smtp.map((one) => ({ ...one, host: "127.0.0.1" })) } : facts
      }
      await delay(20)
    }
    throw new Error(`The server did not start.\n${out()}\n${err()}`)
  }
  return { out, err, ready, readyFile, pid: child.pid ?? 0, signal: (name) => child.kill(name), ended }
}
