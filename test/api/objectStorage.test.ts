/**
 * Tests email whose content is stored in files or in S3: what is stored, how often and for how long, and the effects of an
 * outage.
 *
 * @module
 */
import { Effect, Layer, Redacted } from "effect"
import { mkdtempSync, readdirSync, rmSync, statSync, truncateSync } from "node:fs"
import { rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as Files from "../../adapters/objects/Files.ts"
import * as S3 from "../../adapters/objects/S3.ts"
import { ObjectStorage } from "../../core/ports/ObjectStorage.ts"
import { start } from "../../runtimes/embedded/index.ts"
import { Unavailable } from "../../core/shared/Problem.ts"
import { eventually } from "../support/client.ts"
import { emailStep, flowsOf, uniqueName } from "../support/flows.ts"
import { png } from "../support/images.ts"
import { mailOf } from "../support/mail.ts"
import { relayedOf } from "../support/relayed.ts"
import { startS3Server } from "../support/s3Server.ts"
import { openSmtp } from "../support/smtpClient.ts"
import { startEmbedded, type Target } from "../support/targets.ts"
import { openWorkspace } from "../support/workspace.ts"

/** The state of the storage: working, down, or storing objects without responding. */
type Behaviour = "Up" | "Down" | "Mute"

const down = Effect.fail(new Unavailable({ cause: new Error("down") }))

const withBehaviour = (of: Layer.Layer<ObjectStorage>, behaviour: () => Behaviour) =>
  Layer.effect(
    ObjectStorage,
    Effect.map(ObjectStorage, (storage) => {
      const unlessDown = <A>(run: Effect.Effect<A, Unavailable>) =>
        Effect.suspend(() => (behaviour() === "Down" ? down : run))
      return ObjectStorage.of({
        place: storage.place,
        put: (objects) =>
          Effect.andThen(
            unlessDown(storage.put(objects)),
            Effect.suspend(() => (behaviour() === "Mute" ? down : Effect.void))
          ),
        get: (names) => unlessDown(storage.get(names)),
        remove: (names) => unlessDown(storage.remove(names)),
        list: (...page) => unlessDown(storage.list(...page))
      })
    })
  ).pipe(Layer.provide(of))

interface Place {
  readonly layer: Layer.Layer<ObjectStorage>
  /** The keys of all objects. */
  readonly keys: () => ReadonlyArray<string>
  /** Truncates an object. */
  readonly alter: (key: string) => void
  /** Removes an object. */
  readonly lose: (key: string) => void
  readonly stop: () => Promise<unknown>
}

const files = async (): Promise<Place> => {
  const directory = mkdtempSync(join(tmpdir(), "svc-content-"))
  const keys = () =>
    readdirSync(directory, { recursive: true, encoding: "utf8" }).filter(
      (entry) => entry.includes("/") && statSync(join(directory, entry)).isFile()
    )
  await Effect.runPromise(Files.markDirectory(directory, false))
  return {
    layer: Files.layer(directory),
    keys,
    alter: (key) => truncateSync(join(directory, key), 10),
    lose: (key) => rmSync(join(directory, key)),
    stop: () => rm(directory, { recursive: true })
  }
}

const s3 = async (): Promise<Place> => {
  const [accessKeyId, secretAccessKey, region] = ["key", "a secret of the test", "us-east-1"]
  const server = await startS3Server({ accessKeyId, secretAccessKey, region })
  const { bucket, endpoint, objects, stop } = server
  const credentials = { accessKeyId, secretAccessKey: Redacted.make(secretAccessKey), sessionToken: null }
  const layer = S3.layer({ ...credentials, bucket, endpoint, region, prefix: "mail", style: "Path" })
  return {
    layer,
    keys: () => [...objects.keys()],
    alter: (key) => void objects.set(key, objects.get(key)!.subarray(0, 10)),
    lose: (key) => void objects.delete(key),
    stop
  }
}

it("a live message waits while its content cannot be read, and is sent whole afterwards", async () => {
  const place = await files()
  let behaviour: Behaviour = "Up"
  const service = await start({ replaced: withBehaviour(place.layer, () => behaviour) })
  try {
    await service.publish("shop.example")
    const call = (path: string, init: RequestInit = {}) =>
      service.fetch(
        new Request(`${service.baseUrl}/api/v1/sending/emails${path}`, {
          ...init,
          headers: { authorization: `Bearer ${service.live.apiKey}`, "content-type": "application/json" }
        })
      )
    const email = {
      from: "hello@shop.example",
      to: "ada@example.org",
      subject: "a",
      text: "waits",
      attachments: [{ filename: "a.txt", contentType: "text/plain", content: base64("attached") }],
      sendAt: new Date(service.now() + 60_000).toISOString()
    }
    const accepted = await call("", { method: "POST", body: JSON.stringify(email) })
    expect(accepted.status).toBe(201)
    const { id } = ((await accepted.json()) as { value: { id: string } }).value
    const statusOf = async () =>
      ((await (await call(`/${id}`)).json()) as { value: { status: string } }).value.status
    behaviour = "Down"
    await service.advance("30 minutes")
    expect([await statusOf(), service.outbox()]).toEqual(["Queued", []])
    behaviour = "Up"
    await service.advance("1 minute")
    expect(await statusOf()).toBe("Delivered")
    expect(service.outbox()).toMatchObject([{ text: "waits", attempts: 0 }])
    expect(Buffer.from(service.outbox()[0]!.raw).toString()).toContain(base64("attached"))
  } finally {
    await service.close()
    await place.stop()
  }
})

const base64 = (text: string): string => Buffer.from(text).toString("base64")

describe.each([
  ["files", "memory", files],
  ["S3", "pglite", s3]
] as const)("content in %s, over %s", (_, store, open) => {
  let place: Place
  let target: Target
  let behaviour: Behaviour = "Up"
  const openAccount = (name: string) => openWorkspace(target, name)
  const keysOf = (accountId: string) => place.keys().filter((key) => key.includes(accountId))

  /** Sends an email that cannot be accepted. Not through `call`, which treats a 503 as a failure of the test. */
  const postInVain = (key: string, text: string) =>
    target.fetch("/api/v1/sending/emails", {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ to: "ada@example.org", subject: "a", text })
    })

  beforeAll(async () => {
    place = await open()
    target = await startEmbedded({ store, replaced: withBehaviour(place.layer, () => behaviour) })
  })
  afterAll(async () => {
    await target?.stop()
    await place?.stop()
  })

  it("is stored once for all recipients and emails of an account, and read in the inbox", async () => {
    const { live, sandbox } = await openAccount("Once")
    const relayed = relayedOf(target, sandbox)
    const email = {
      to: "ada@example.org",
      cc: ["eve@example.org"],
      bcc: ["joe@example.org"],
      html: "<p>Grüße 👋</p>",
      text: "Grüße 👋",
      attachments: [
        { filename: "a.txt", contentType: "text/plain", content: base64("attached") },
        { filename: "b.txt", contentType: "text/plain", content: base64("attached") }
      ]
    }
    const first = await relayed.post({ subject: "One", ...email })
    const second = await relayed.post({ subject: "Two", ...email })
    expect([first.status, second.status]).toEqual([201, 201])
    const raw = await relayed.raw(first.value.id, "eve@example.org")
    expect(raw.split(base64("attached"))).toHaveLength(3)
    await relayed.settled(second.value.id, "Delivered")
    const messages = await relayed.inbox()
    expect(messages).toHaveLength(6)
    for (const { html, text } of messages) {
      expect([html, text]).toEqual([expect.stringContaining(email.html), email.text])
    }
    expect(keysOf(sandbox.accountId)).toHaveLength(2)
    // Another account has its own copy.
    await mailOf(live).send("ada@example.org", { sendAt: new Date(target.now() + 60_000).toISOString() })
    expect(keysOf(live.accountId)).toHaveLength(1)
  })

  it("is removed with the last email that has it", async () => {
    const { sandbox } = await openAccount("Erased")
    const mail = mailOf(sandbox)
    const person = async (email: string, html: string) => {
      const added = await sandbox.api<{ contact: { id: string } }>("POST", "/contacts", { email })
      const { id } = await mail.send(email, { html, text: null })
      await mail.settled(id, "Delivered")
      return added.value.contact.id
    }
    const shared = await person("ada@example.org", "shared")
    await person("eve@example.org", "shared")
    const alone = await person("joe@example.org", "alone")
    expect(keysOf(sandbox.accountId)).toHaveLength(2)
    await sandbox.api("DELETE", `/contacts/${alone}`)
    await eventually(
      () => Promise.resolve(keysOf(sandbox.accountId)),
      (keys) => keys.length === 1
    )
    await sandbox.api("DELETE", `/contacts/${shared}`)
    const [message] = await mail.inbox()
    expect(message).toMatchObject({ to: "eve@example.org", html: expect.stringContaining("shared") })
    // Retention removes the rest.
    await target.advance!("32 days")
    await eventually(
      () => Promise.resolve(keysOf(sandbox.accountId)),
      (keys) => keys.length === 0
    )
  })

  it("that no email names is removed within a day", async () => {
    const { sandbox } = await openAccount("Orphans")
    const mail = mailOf(sandbox)
    behaviour = "Mute"
    try {
      expect((await postInVain(sandbox.key, "lost")).status).toBe(503)
    } finally {
      behaviour = "Up"
    }
    await mail.send("ada@example.org", { text: "kept" })
    expect(keysOf(sandbox.accountId)).toHaveLength(2)
    await target.advance!("1 hour")
    expect(keysOf(sandbox.accountId)).toHaveLength(2)
    await target.advance!("1 day")
    expect(keysOf(sandbox.accountId)).toHaveLength(1)
    expect((await mail.inbox())[0]).toMatchObject({ text: "kept" })
  })

  it("of images that was stored in vain, or removed in an outage, is removed within a day", async () => {
    const { sandbox } = await openAccount("Images")
    const before = new Set(place.keys())
    const added = () => place.keys().filter((key) => !before.has(key))
    const upload = (bytes: Uint8Array<ArrayBuffer>) =>
      target.fetch(`/manage/v1/accounts/${sandbox.accountId}/images`, {
        method: "POST",
        headers: { authorization: `Bearer ${target.managementToken}` },
        body: bytes
      })
    const idOf = async (response: Response) => ((await response.json()) as { value: { id: string } }).value.id
    const kept = await idOf(await upload(png(1, 1)))
    const removed = await idOf(await upload(png(2, 1)))
    behaviour = "Mute"
    try {
      expect((await upload(png(3, 1))).status).toBe(503)
      behaviour = "Down"
      expect((await upload(png(4, 1))).status).toBe(503)
      await sandbox.manage("DELETE", `/images/${removed}`)
    } finally {
      behaviour = "Up"
    }
    expect(added()).toHaveLength(3)
    await target.advance!("1 day")
    expect(added()).toEqual([expect.stringContaining(kept)])
  })

  it("of an image that is damaged or missing is unavailable, and not unknown", async () => {
    const { sandbox } = await openAccount("Damaged")
    const uploaded = await target.fetch(`/manage/v1/accounts/${sandbox.accountId}/images`, {
      method: "POST",
      headers: { authorization: `Bearer ${target.managementToken}` },
      body: png(7, 7)
    })
    const { id, url } = ((await uploaded.json()) as { value: { id: string; url: string } }).value
    const see = async () => (await target.fetch(url.slice(url.indexOf("/i/")))).status
    expect(await see()).toBe(200)
    const key = place.keys().find((one) => one.includes(id))!
    place.alter(key)
    expect(await see()).toBe(503)
    place.lose(key)
    expect(await see()).toBe(503)
  })

  it("that cannot be stored is not accepted, and what was accepted waits", async () => {
    const { sandbox } = await openAccount("Outage")
    const mail = mailOf(sandbox)
    const flows = flowsOf(sandbox)
    const name = uniqueName()
    const flow = await flows.start(name, [emailStep("hello")])
    const smtp = await openSmtp(target.smtp.startTls)
    await smtp.read()
    await smtp.login(sandbox.key)
    const before = await mail.send("ada@example.org", { text: "before" })
    await mail.settled(before.id, "Delivered")
    const message = "From: Suite <suite@mail.example>\r\nSubject: a\r\n\r\nby SMTP\r\n.\r\n"
    behaviour = "Down"
    try {
      const refused = await postInVain(sandbox.key, "during")
      expect(await refused.json()).toMatchObject({ errors: [{ code: "common.unavailable" }] })
      expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, expect.anything()])
      const inbox = await target.fetch(`/manage/v1/accounts/${sandbox.accountId}/inbox`, {
        headers: { authorization: `Bearer ${target.managementToken}` }
      })
      expect(inbox.status).toBe(503)
      expect(await smtp.send(["ada@example.org"], message)).toMatch(/^451 /)
      // The same content is already stored.
      expect((await mail.post({ to: "eve@example.org", subject: "a", text: "before" })).status).toBe(201)
      await flows.report(name, { email: "ada@example.org" })
      // Longer than failing jobs are retried.
      await target.advance!("10 minutes")
      expect((await flows.runs(flow.id)).map(({ status }) => status)).toEqual(["Active"])
      expect((await sandbox.manage<{ totalCount: number }>("GET", "/emails")).value.totalCount).toBe(2)
    } finally {
      behaviour = "Up"
    }
    await target.advance!("1 minute")
    await flows.runIn(flow.id, "Completed")
    expect(await smtp.send(["ada@example.org"], message)).toMatch(/^250 /)
    smtp.close()
    await eventually(mail.inbox, (inbox) => inbox.length === 4)
  })
})
