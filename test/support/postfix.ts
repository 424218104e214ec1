/**
 * Runs Postfix for a test, with its own configuration, queue and ports.
 *
 * @module
 */
import { execFileSync, spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { eventually } from "./client.ts"
import { freePort } from "./freePort.ts"

const openssl = "/usr/bin/openssl"

const daemons = "/usr/lib/postfix/sbin"

/** Why Postfix cannot be started on this machine; null if it can. */
export const withoutPostfix: string | null = ((): string | null => {
  if (!existsSync("/usr/sbin/postfix") || !existsSync(daemons)) return "Postfix is not installed."
  if (!existsSync(openssl)) return "There is no openssl to make it a certificate with."
  if (process.getuid?.() !== 0) return "Postfix starts as root only."
  return null
})()

/** The settings of a Postfix. */
export interface PostfixOptions {
  /** The port on 127.0.0.1 to which it relays everything. */
  readonly nextHop: number
  /** The domain for which it accepts mail, with its only local parts. */
  readonly domain: string
  readonly localParts: ReadonlyArray<string>
  /** Whether it also accepts mail for all other domains. */
  readonly relays: boolean
  /** Settings of main.cf to add or replace. */
  readonly settings?: Readonly<Record<string, string>>
}

/** A running Postfix. */
export interface Postfix {
  readonly port: number
  /** Its log. */
  readonly log: () => Promise<string>
  readonly stop: () => Promise<void>
}

const services = `
pickup     unix  n - n 60   1 pickup
cleanup    unix  n - n -    0 cleanup
qmgr       unix  n - n 1    1 qmgr
tlsmgr     unix  - - n 1000? 1 tlsmgr
rewrite    unix  - - n -    - trivial-rewrite
bounce     unix  - - n -    0 bounce
defer      unix  - - n -    0 bounce
trace      unix  - - n -    0 bounce
verify     unix  - - n -    1 verify
flush      unix  n - n 1000? 0 flush
proxymap   unix  - - n -    - proxymap
proxywrite unix  - - n -    1 proxymap
smtp       unix  - - n -    - smtp
relay      unix  - - n -    - smtp
error      unix  - - n -    - error
retry      unix  - - n -    - error
discard    unix  - - n -    - discard
anvil      unix  - - n -    1 anvil
scache     unix  - - n -    1 scache
postlog    unix-dgram n - n - 1 postlogd
`

/** Starts a Postfix. */
export const startPostfix = async (options: PostfixOptions): Promise<Postfix> => {
  const { domain, localParts, nextHop, relays } = options
  const folder = await mkdtemp(join(tmpdir(), "svc-postfix-"))
  await chmod(folder, 0o755)
  const at = (name: string) => join(folder, name)
  for (const name of ["config", "queue", "data"]) await mkdir(at(name), { mode: 0o755 })
  execFileSync("chown", ["postfix", at("data")])
  const port = await freePort()
  execFileSync(
    openssl,
    [
      "req",
      "-x509",
      "-newkey",
      "rsa:2048",
      "-nodes",
      "-days",
      "2",
      "-subj",
      "/CN=mx.test",
      "-keyout",
      at("key.pem"),
      "-out",
      at("cert.pem")
    ],
    { stdio: "ignore" }
  )
  const main = {
    compatibility_level: "3.6",
    myhostname: "mx.test",
    mydestination: "",
    inet_interfaces: "127.0.0.1",
    inet_protocols: "ipv4",
    queue_directory: at("queue"),
    data_directory: at("data"),
    daemon_directory: daemons,
    command_directory: "/usr/sbin",
    maillog_file: at("mail.log"),
    maillog_file_prefixes: folder,
    mail_owner: "postfix",
    setgid_group: "postdrop",
    mynetworks: relays ? "127.0.0.0/8" : "",
    smtpd_relay_restrictions: "permit_mynetworks, reject_unauth_destination",
    smtpd_recipient_restrictions: "reject_unlisted_recipient",
    virtual_mailbox_domains: domain,
    virtual_mailbox_maps: `inline:{ ${localParts.map((local) => `{ ${local}@${domain} = x }`).join(" ")} }`,
    virtual_transport: `smtp:[127.0.0.1]:${nextHop}`,
    default_transport: `smtp:[127.0.0.1]:${nextHop}`,
    smtpd_tls_security_level: "may",
    smtpd_tls_cert_file: at("cert.pem"),
    smtpd_tls_key_file: at("key.pem"),
    smtpd_tls_received_header: "yes",
    smtpd_tls_loglevel: "1",
    disable_dns_lookups: "yes",
    // Clients on this machine may relay.
    smtpd_peername_lookup: "no",
    ...options.settings
  }
  await writeFile(
    join(at("config"), "main.cf"),
    Object.entries(main)
      .map(([name, value]) => `${name} = ${value}\n`)
      .join("")
  )
  await writeFile(join(at("config"), "master.cf"), `127.0.0.1:${port} inet n - n - - smtpd${services}`)

  const run = spawn("/usr/sbin/postfix", ["-c", at("config"), "start-fg"], { stdio: "ignore" })
  const ended = new Promise<void>((resolve) => run.once("exit", () => resolve()))
  const log = () => readFile(at("mail.log"), "utf8").catch(() => "")
  const stop = async () => {
    // The master process outlives the script that starts it.
    const master = Number(await readFile(at("queue/pid/master.pid"), "utf8").catch(() => ""))
    if (Number.isInteger(master) && master > 1) process.kill(master, "SIGTERM")
    else run.kill("SIGTERM")
    await ended
    await rm(folder, { recursive: true, force: true })
  }
  try {
    await eventually(log, (text) => text.includes("daemon started"))
  } catch (error) {
    await stop()
    throw error
  }
  return { port, log, stop }
}
