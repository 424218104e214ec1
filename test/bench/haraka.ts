/**
 * Runs Haraka for comparison with the relay: one process, logins from a file, TLS, a queue on disk, and no delivery.
 *
 * @module
 */
import { type ChildProcess, spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { cp, mkdir, writeFile } from "node:fs/promises"
import { createServer } from "node:net"
import { join } from "node:path"
import { connect } from "node:tls"
import { setTimeout as delay } from "node:timers/promises"
import { selfSigned } from "../../adapters/smtp/Certificate.ts"
import { freshFolder } from "../support/serverProcess.ts"

const home = join(import.meta.dirname, "haraka/node_modules/Haraka")
const script = join(home, "bin/haraka")

/** The group ffdhe2048 (RFC 7919). Without one, Haraka spends a minute of CPU time generating its own. */
const dhParameters = `-----BEGIN DH PARAMETERS-----
MIIBCAKCAQEA//////////+t+FRYortKmq/cViAnPTzx2LnFg84tNpWp4TZBFGQz
+8yTnc4kmz75fS/jY2MMddj2gbICrsRhetPfHtXV/WVhJDP1H18GbtCFY2VVPe0a
87VXE15/V8k1mE8McODmi3fipona8+/och3xWKE2rec1MKzKT0g6eXq8CrGCsyT7
YdEIqUuyyOP7uWrat2DX9GgdT0Kj3jlN9K5W7edjcrsZCwenyO4KbXCeAvzhzffi
7MA0BM0oNC9hkXL+nOmFg/+OTxIy7vKBg8P+OxtMb61zO7X8vC7CIAXFjvGDfRaD
ssbzSibBsu/6iGtCOGEoXJf//////////wIBAg==
-----END DH PARAMETERS-----
`

/** Why Haraka cannot run on this machine; null if it can. */
export const withoutHaraka: string | null = existsSync(script)
  ? null
  : "Haraka is not installed: npm install in test/bench/haraka"

/** A running Haraka. */
export interface Haraka {
  readonly port: number
  readonly user: string
  readonly password: string
  readonly pid: number
  readonly stop: () => Promise<void>
}

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer()
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0))
    })
  })

const answers = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ host: "127.0.0.1", port, rejectUnauthorized: false })
    socket.once("data", () => resolve(true))
    socket.once("error", () => resolve(false))
    socket.once("close", () => resolve(false))
    setTimeout(() => socket.destroy(), 500)
  })

/** Starts Haraka. */
export const startHaraka = async (): Promise<Haraka> => {
  const folder = await freshFolder()
  const port = await freePort()
  const { cert, key } = await selfSigned("haraka.test", Date.now())
  const files: Readonly<Record<string, string>> = {
    me: "haraka.test\n",
    plugins: "tls\nauth/flat_file\n",
    "smtp.ini": `listen=127.0.0.1:${port}\nsmtps_port=${port}\nnodes=0\n`,
    "auth_flat_file.ini": "[core]\nmethods=PLAIN,LOGIN\n[users]\nsvc=password\n",
    "outbound.ini": "disabled=true\n",
    "dhparams.pem": dhParameters,
    "tls_cert.pem": cert,
    "tls_key.pem": key,
    "log.ini": "[main]\nlevel=error\n"
  }
  await cp(join(home, "config"), join(folder.path, "config"), { recursive: true })
  await mkdir(join(folder.path, "queue"), { recursive: true })
  await mkdir(join(folder.path, "plugins"), { recursive: true })
  for (const [name, content] of Object.entries(files))
    await writeFile(join(folder.path, "config", name), content)
  const child: ChildProcess = spawn(process.execPath, [script, "-c", folder.path], {
    stdio: ["ignore", "pipe", "pipe"]
  })
  let output = ""
  child.stdout?.on("data", (chunk: Buffer) => (output = (output + chunk.toString()).slice(-5_000)))
  child.stderr?.on("data", (chunk: Buffer) => (output = (output + chunk.toString()).slice(-5_000)))
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()))
  const stop = async () => {
    child.kill("SIGKILL")
    await ended
    await folder.remove()
  }
  for (let tries = 0; tries < 50; tries++) {
    if (await answers(port)) {
      return { port, user: "svc", password: "password", pid: child.pid ?? 0, stop }
    }
    await delay(200)
  }
  await stop()
  throw new Error(`Haraka did not start.\n${output}`)
}
