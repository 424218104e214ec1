/**
 * Tests that no secret and no personal data reaches a log, at the most verbose level, in a run with every kind of both: in use,
 * mistyped, rejected by other servers, and while the database fails.
 *
 * @module
 */
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { call, eventually } from "../support/client.ts"
import { type DnsServer, startDnsServer } from "../support/dnsServer.ts"
import { fillAccount, importRow } from "../support/fullAccount.ts"
import { openLive } from "../support/liveDomain.ts"
import { usePeopleSecrets } from "../support/peopleSecrets.ts"
import { execute, freshDatabase, query } from "../support/postgres.ts"
import { type Receiver, startReceiver } from "../support/receiver.ts"
import type { Runtime } from "../support/serverProcess.ts"
import { useServers } from "../support/servers.ts"
import { openSmtp, plainToken, type SmtpAddress } from "../support/smtpClient.ts"
import { type SmtpSink, startSmtpSink } from "../support/smtpSink.ts"
import { smtpOf, type Target } from "../support/targets.ts"
import { openWorkspace } from "../support/workspace.ts"

const admin = "admin-token-zq4v8w1k-zq4v8w1k-zq4v8w1k"
const secretKey = "secret-key-of-all-that-is-sealed-7f3q"
const relay = { user: "relay-user-h2x9", pass: "relay-pass-m5t1" }
const mark = "mark8k2v6d"
const person = `Person-${mark}`

const { kill, start, stop } = useServers()

let receiver: Receiver
let sink: SmtpSink
let dns: DnsServer
beforeEach(async () => {
  receiver = await startReceiver()
  sink = await startSmtpSink({ startTls: "off", login: relay })
  dns = await startDnsServer()
})
afterEach(() => Promise.all([receiver.stop(), sink.stop(), dns.stop()]))

/** A string in all encodings that a log could contain. */
const formsOf = (secret: string): ReadonlyArray<string> => [
  secret,
  Buffer.from(secret).toString("base64").replace(/=+$/, ""),
  Buffer.from(secret).toString("hex"),
  encodeURIComponent(secret)
]

/** The lines that a start prints outside its logs. */
const announcements = /^(svc (listens|takes mail|works) .*|)$/

describe.each<Runtime>(["node", "bun"])("the logs of %s", (runtime) => {
  it("hold no secret and no personal data", async () => {
    const databaseUrl = await freshDatabase()
    const keeper = `keeper_${runtime}`
    await execute(databaseUrl, `create role ${keeper} login superuser password 'db-pass-c7n3'`)
    const database = new URL(databaseUrl)
    database.username = keeper
    database.password = "db-pass-c7n3"
    const env = {
      SVC_STORE: database.href,
      SVC_ADMIN_TOKEN: admin,
      SVC_SECRET_KEY: secretKey,
      SVC_SMTP_URL: sink.url.replace("//", `//${relay.user}:${relay.pass}@`),
      SVC_DNS_SERVERS: dns.address,
      SVC_SMTP_PORTS: "0,0/tls",
      SVC_SYSTEM_SENDER: `People <people@users-${mark}.example>`,
      SVC_WEBHOOK_ALLOW_PRIVATE: "true",
      SVC_LOG_LEVEL: "trace"
    }
    const first = start(runtime, env)
    const { sandbox } = await first.ready()
    // Only the first start prints a key, outside its logs, and shortly afterwards records that it did.
    const noted = () => query<{ announced: boolean }>(databaseUrl, "select announced from instance")
    await expect.poll(noted, { timeout: 30_000 }).toEqual([{ announced: true }])
    await stop(first)

    const server = start(runtime, env)
    const ready = await server.ready()
    const target: Target = {
      name: runtime,
      baseUrl: ready.baseUrl,
      managementToken: admin,
      sandbox: sandbox!,
      smtp: smtpOf(ready.smtp),
      dns,
      fetch: (path, init) => fetch(ready.baseUrl + path, init),
      now: Date.now,
      advance: null,
      operatorCookie: null,
      stop: () => kill(server)
    }
    const secrets: Array<string> = [
      admin,
      secretKey,
      relay.user,
      relay.pass,
      "db-pass-c7n3",
      mark,
      sandbox!.apiKey
    ]

    const { sandbox: account } = await openWorkspace(target, person)
    const own = await fillAccount(target, account, mark)
    secrets.push(account.key, own.store.token, own.store.webhookSecret)

    const hook = await account.manage<{ id: string; secret: string }>("POST", "/webhooks", {
      url: `${receiver.url}/${mark}?key=hook-key-w8r2`,
      events: []
    })
    receiver.answer(`/${mark}?key=hook-key-w8r2`, (response) =>
      response.writeHead(500).end(`failed for ${mark}`)
    )
    const rotated = await account.manage<{ secret: string }>(
      "POST",
      `/webhooks/${hook.value.id}/rotate-secret`
    )
    secrets.push(hook.value.secret.slice(6), rotated.value.secret.slice(6), "hook-key-w8r2")
    await account.manage("POST", `/webhooks/${hook.value.id}/test`)

    const links = await account.manage<Record<string, string>>("POST", `/contacts/${own.contact}/links`)
    for (const path of Object.values(links.value)) {
      secrets.push(path.slice(3))
      await target.fetch(path)
      await target.fetch(`${path}x`, { method: "POST" })
    }

    const ofPeople = await usePeopleSecrets(
      target,
      sink,
      `users-${mark}.example`,
      `${person.toLowerCase()}@people.example`
    )
    secrets.push(...ofPeople)
    // They are not in the stored calls, audit entries, emails and background jobs either.
    for (const table of ["audit_log", "request_log", "submissions", "jobs", "buried_jobs"]) {
      const rows = await query<{ row: string }>(databaseUrl, `select t::text as row from ${table} t`)
      const stored = rows.map(({ row }) => row.toLowerCase()).join("\n")
      expect([table, ofPeople.filter((secret) => stored.includes(secret.toLowerCase()))]).toEqual([table, []])
    }

    // Mail that a relay rejects with a reply that quotes the address.
    const live = await openLive(target.baseUrl, admin, dns, `${mark}.example`)
    secrets.push(live.apiKey)
    sink.answer("rcpt", (address) => `550 5.1.1 <${address}> is unknown here, words-${mark}`)
    const refused = await call<{ id: string }>(target, "POST", "/api/v1/sending/emails", {
      token: live.apiKey,
      json: {
        to: `${person}@refused.example`,
        subject: person,
        html: `<a href="https://x.example/${mark}">${mark}</a>`
      },
      headers: { "idempotency-key": `order-${mark}` }
    })
    await eventually(
      () =>
        call<{ status: string }>(target, "GET", `/api/v1/sending/emails/${refused.value.id}`, {
          token: live.apiKey
        }),
      (answer) => answer.value.status === "Bounced"
    )

    // Mistyped keys and passwords.
    const mistyped = `${live.apiKey.slice(0, -2)}zz`
    secrets.push(mistyped, "smtp-pass-k4j7", "no-token-b6y3")
    await call(target, "GET", "/api/v1/contacts/ext:1", { token: mistyped })
    await call(target, "GET", "/manage/v1/companies", { token: "no-token-b6y3" })
    await call(target, "GET", `/api/v1/contacts/email:${person}@x.example?api_key=${mistyped}`, {
      token: account.key
    })
    await call(target, "POST", "/api/v1/contacts", { token: account.key, body: `{"email":"${mark}` })
    await sendBySmtp(target.smtp.tls, account.key)
    await sendBySmtp(target.smtp.tls, "smtp-pass-k4j7")
    secrets.push(plainToken(account.key), plainToken("smtp-pass-k4j7"))

    // Internal failures: a statement whose error quotes the row, and an unreachable database.
    await execute(
      databaseUrl,
      `create function refuse() returns trigger language plpgsql as $$ begin raise exception 'no % %', tg_op, new; end $$`,
      "create trigger refuse before insert or update on contacts for each row execute function refuse()",
      "create trigger refuse before insert on submissions for each row execute function refuse()"
    )
    const failing = await target.fetch("/api/v1/contacts", {
      method: "POST",
      headers: { authorization: `Bearer ${account.key}`, "content-type": "application/json" },
      body: JSON.stringify({ email: `new-${mark}@example.org`, firstName: person })
    })
    expect(failing.status).toBe(500)
    expect(await failing.text()).not.toContain(mark)
    await importRow(target, account, `${person}@imported.example`)
    await sendBySmtp(target.smtp.tls, account.key)
    await execute(
      databaseUrl,
      `alter role ${keeper} nologin`,
      `select pg_terminate_backend(pid) from pg_stat_activity where usename = '${keeper}'`
    )
    const away = await fetch(`${target.baseUrl}/api/v1/contacts/ext:${mark}`, {
      headers: { authorization: `Bearer ${account.key}` }
    })
    expect(away.status).toBe(503)
    const printed = async () => `${server.out()}\n${server.err()}`
    // A killed server would print nothing more.
    await eventually(
      printed,
      (text) => text.includes("request failed") && text.includes("database unavailable")
    )
    await kill(server)

    const output = await printed()
    const leaked = secrets.flatMap((secret) =>
      formsOf(secret).filter((form) => output.toLowerCase().includes(form.toLowerCase()))
    )
    expect(leaked).toEqual([])
    expect(output).not.toMatch(/PRIVATE KEY|svc_(live|test|store|admin)_\w|whsec_|Bearer \S|@\w+\.example/i)
    // The log is not empty, and each line is one entry.
    expect(output).toContain("request failed")
    expect(output).toContain("database unavailable")
    const lines = output.split("\n").filter((line) => !announcements.test(line))
    expect(lines.filter((line) => !/^timestamp=\S+ level=[A-Z]+ fiber=\S+ /.test(line))).toEqual([])
  })
})

/** Sends a message through the relay, whether or not it is accepted. */
const sendBySmtp = async (address: SmtpAddress, password: string): Promise<void> => {
  const client = await openSmtp(address)
  await client.read()
  await client.say("EHLO client.example")
  await client.say(`AUTH PLAIN ${plainToken(password)}`)
  await client.say(`MAIL FROM:<${mark}@mail.example>`)
  await client.say(`RCPT TO:<${mark}@example.org>`)
  await client.say("DATA")
  // After a rejection, the content is read as an invalid command.
  client.write(`From: ${mark}@mail.example\r\nTo: ${mark}@example.org\r\nSubject: ${mark}\r\n\r\n${mark}\r\n`)
  await client.say(".")
  client.close()
}
