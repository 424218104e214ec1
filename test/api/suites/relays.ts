/**
 * Tests relays of the installation and of companies: what responses contain, what is rejected, whether a relay can be used, and
 * reports by providers.
 *
 * @module
 */
import { createHmac, generateKeyPairSync, randomUUID, sign } from "node:crypto"
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib"
import * as fc from "fast-check"
import { beforeAll, describe, expect, it } from "vitest"
import { anyText } from "../../core/arbitraries.ts"
import { call, eventually, type Sent } from "../../support/client.ts"
import type { Page } from "../../support/shapes.ts"
import { startSmtpSink } from "../../support/smtpSink.ts"
import type { Target } from "../../support/targets.ts"
import { manage as manageOf, openWorkspace, type Workspace } from "../../support/workspace.ts"

interface Relay {
  readonly id: string
  readonly url: string
  readonly state: string
  readonly stateReason: string | null
  readonly words: string | null
  readonly feedback: Readonly<Record<string, string | boolean | null>>
  readonly feedbackUrl: string | null
  readonly lastReportAt: string | null
}

interface Check {
  readonly ok: boolean
  readonly steps: ReadonlyArray<{ readonly step: string; readonly ok: boolean; readonly words: string }>
}

interface EmailDetail {
  readonly status: string
  readonly recipients: ReadonlyArray<{ readonly status: string }>
}

const url = "smtps://user:secret-password@relay.example.com"

/** Tests of relays. */
export const relaysSuite = (target: () => Target): void => {
  describe("relays", () => {
    let workspace: Workspace
    let stranger: Workspace

    beforeAll(async () => {
      workspace = await openWorkspace(target(), "Relays")
      stranger = await openWorkspace(target(), "Other relays")
    })

    const at = <Value = Relay>(base: string, method: string, path = "", json?: unknown) =>
      manageOf<Value>(target(), method, `${base}${path}`, json === undefined ? {} : { json })
    const own = <Value = Relay>(method: string, path = "", json?: unknown) =>
      at<Value>(`/companies/${workspace.companyId}/relays`, method, path, json)
    const installed = <Value = Relay>(method: string, path = "", json?: unknown) =>
      at<Value>("/relays", method, path, json)

    it("shows a relay without its password and its secrets, and keeps what a change leaves out", async () => {
      const made = await own("POST", "", {
        name: " Ours ",
        kind: "Postmark",
        url,
        maxPerSecond: 5,
        feedback: { username: "relay", password: "report-password" }
      })
      expect(made.status).toBe(201)
      const { id } = made.value
      expect(made.value).toEqual({
        id,
        name: "Ours",
        kind: "Postmark",
        url: "smtps://user:***@relay.example.com",
        streams: ["Transactional", "Marketing"],
        maxPerSecond: 5,
        dailyLimit: null,
        shared: false,
        feedback: { username: "relay", password: true },
        state: "Active",
        stateReason: null,
        words: null,
        lastRefusal: null,
        feedbackUrl: `${target().baseUrl}/ingest/v1/relays/${id}/feedback`,
        lastReportAt: null,
        unreported: null,
        createdAt: expect.any(String)
      })
      expect((await own("GET", `/${id}`)).value).toEqual(made.value)
      const changed = await own("PATCH", `/${id}`, {
        url: "smtps://user:***@relay.example.com",
        streams: ["Marketing"],
        maxPerSecond: null,
        feedback: { username: "other" }
      })
      expect(changed.value).toEqual({
        ...made.value,
        streams: ["Marketing"],
        maxPerSecond: null,
        feedback: { username: "other", password: true }
      })
      expect((await own("PATCH", `/${id}`, { url: "smtps://user:***@elsewhere.example.com" })).codes).toEqual(
        ["relays.url_invalid"]
      )
      const cleared = await own("PATCH", `/${id}`, { feedback: null })
      expect(cleared.value.feedback).toEqual({ username: null, password: false })
      const log = await manageOf<Page<{ readonly action: string; readonly target: { readonly id: string } }>>(
        target(),
        "GET",
        `/companies/${workspace.companyId}/audit-log`
      )
      expect(log.text).not.toContain("secret-password")
      expect(log.text).not.toContain("report-password")
      expect(
        log.value.items.filter(({ target: about }) => about.id === id).map(({ action }) => action)
      ).toEqual(["relay.changed", "relay.changed", "relay.created"])
      // A single token that serves as both, as some providers have it.
      const token = await own("POST", "", {
        name: "T",
        kind: "Smtp",
        url: "smtp://same:same@relay.example.com"
      })
      expect(token.value).toMatchObject({ url: "smtp://***:***@relay.example.com", feedbackUrl: null })
    })

    it("belongs to its owner alone", async () => {
      const { id } = (await own("POST", "", { name: "Ours", kind: "Smtp", url })).value
      const theirs = `/companies/${stranger.companyId}/relays/${id}`
      for (const [method, path, json] of [
        ["GET", ""],
        ["PATCH", "", { name: "Theirs" }],
        ["DELETE", ""],
        ["POST", "/check"]
      ] as const) {
        expect((await at(theirs, method, path, json)).status).toBe(404)
        expect((await installed(method, `/${id}${path}`, json)).status).toBe(404)
      }
      const shared = await installed("POST", "", { name: "Shared", kind: "Smtp", url, shared: true })
      expect(shared.value).toMatchObject({ shared: true })
      expect((await own("GET", `/${shared.value.id}`)).status).toBe(404)
      const kept = await installed("POST", "", { name: "Kept", kind: "Smtp", url })
      const offered = await manageOf<{ readonly items: ReadonlyArray<{ readonly id: string }> }>(
        target(),
        "GET",
        `/companies/${workspace.companyId}/shared-relays`
      )
      expect(offered.text).not.toContain("relay.example.com")
      expect(offered.value.items.find((one) => one.id === shared.value.id)).toEqual({
        id: shared.value.id,
        name: "Shared",
        kind: "Smtp",
        streams: ["Transactional", "Marketing"],
        state: "Active"
      })
      expect(offered.value.items.map((one) => one.id)).not.toContain(kept.value.id)
      // The sandbox account also accepts the setting, but only with relays of its own company and shared ones.
      const settings = (way: string) =>
        workspace.sandbox.manage("PATCH", "/settings", {
          delivery: { transactional: [way], marketing: null }
        })
      expect((await settings(`relay:${shared.value.id}`)).status).toBe(200)
      expect((await settings(`relay:${id}`)).status).toBe(200)
      const foreign = await at(`/companies/${stranger.companyId}/relays`, "POST", "", {
        name: "Theirs",
        kind: "Smtp",
        url
      })
      for (const way of [`relay:${kept.value.id}`, `relay:${foreign.value.id}`, `relay:${randomUUID()}`]) {
        const refused = await settings(way)
        expect([refused.status, refused.codes]).toEqual([400, ["relays.unknown"]])
      }
      expect((await workspace.sandbox.manage("PATCH", "/settings", { delivery: null })).status).toBe(200)
      expect((await installed("DELETE", `/${shared.value.id}`)).status).toBe(200)
      expect((await installed("GET", `/${shared.value.id}`)).status).toBe(404)
    })

    it("refuses what is no relay", async () => {
      const refused = async (json: object) => {
        const answer = await own("POST", "", { name: "Relay", kind: "Smtp", url, ...json })
        return [answer.status, answer.codes, answer.fields]
      }
      for (const wrong of [
        "https://relay.example.com",
        "smtp://",
        "smtp://relay.example.com/path",
        "smtp://relay.example.com#x",
        "smtp://relay.example.com:0",
        "smtp://:secret@relay.example.com",
        "smtp://user:***@relay.example.com",
        "smtp://user:%00@relay.example.com",
        "smtp://user:%zz@relay.example.com",
        "smtp://relay.example.com?pool=0",
        "smtp://relay.example.com?verify=false",
        "smtp://relay.example.com?other=1",
        "smtp://relay.example.com\r\nDATA",
        `smtp://${"a".repeat(2_048)}.example.com`
      ]) {
        expect([wrong, ...(await refused({ url: wrong }))]).toEqual([
          wrong,
          400,
          ["relays.url_invalid"],
          ["url"]
        ])
      }
      expect(await refused({ url: "" })).toEqual([400, ["validation.required"], ["url"]])
      expect(await refused({ name: " " })).toEqual([400, ["validation.required"], ["name"]])
      expect(await refused({ streams: [] })).toEqual([400, ["validation.required"], ["streams"]])
      expect(await refused({ maxPerSecond: 0 })).toEqual([400, ["validation.range"], ["maxPerSecond"]])
      expect(await refused({ dailyLimit: 1e9 })).toEqual([400, ["validation.range"], ["dailyLimit"]])
      expect((await own("POST", "", { name: "Relay", kind: "Pigeon", url })).status).toBe(400)
      expect(await refused({ feedback: { username: "a", password: "b" } })).toEqual([
        400,
        ["relays.feedback_unknown", "relays.feedback_unknown"],
        ["feedback.password", "feedback.username"]
      ])
      expect(await refused({ kind: "Brevo", feedback: { username: "a" } })).toEqual([
        400,
        ["validation.required"],
        ["feedback.password"]
      ])
      for (const [kind, feedback] of [
        ["AmazonSes", { topicArn: "arn:aws:sqs:eu-west-1:123456789012:mail" }],
        [
          "AmazonSes",
          { topicArn: "arn:aws:sns:eu-west-1:123456789012:mail", configurationSet: "a\r\nBcc: x" }
        ],
        ["SendGrid", { publicKey: "no key" }],
        ["Resend", { secret: "whsec_short" }],
        ["Mailgun", { signingKey: "two words" }],
        ["SparkPost", { username: "a:b", password: "c" }]
      ] as const) {
        const [status, codes] = await refused({ kind, feedback })
        expect([kind, status, codes]).toEqual([kind, 400, ["validation.format"]])
      }
    })

    it("limits a company to 20, also of those that are added at once", async () => {
      const full = await openWorkspace(target(), "Many relays")
      const add = () =>
        at(`/companies/${full.companyId}/relays`, "POST", "", { name: "Relay", kind: "Smtp", url })
      const answers = await Promise.all(Array.from({ length: 23 }, add))
      expect(answers.filter(({ status }) => status === 201)).toHaveLength(20)
      expect(answers.flatMap(({ codes }) => codes)).toEqual(
        Array.from({ length: 3 }, () => "relays.limit_reached")
      )
    })

    it("checks whether a relay takes its login, and keeps what was found", async () => {
      const sink = await startSmtpSink({ startTls: "off", login: { user: "user", pass: "right" } })
      try {
        const made = await own("POST", "", {
          name: "Sink",
          kind: "Smtp",
          url: `smtp://user:wrong@127.0.0.1:${sink.port}`
        })
        const { id } = made.value
        const failed = await own<Check>("POST", `/${id}/check`)
        expect(failed.status).toBe(200)
        expect(failed.value).toMatchObject({
          ok: false,
          steps: [
            { step: "Connect", ok: true },
            { step: "Authenticate", ok: false, words: expect.stringMatching(/^535/) }
          ]
        })
        expect((await own("GET", `/${id}`)).value).toMatchObject({
          state: "Failing",
          stateReason: "relays.login_failed",
          words: expect.stringMatching(/^535/)
        })
        const corrected = await own("PATCH", `/${id}`, { url: `smtp://user:right@127.0.0.1:${sink.port}` })
        expect(corrected.value).toMatchObject({ state: "Active", words: null })
        const passed = await own<Check>("POST", `/${id}/check`)
        expect(passed.value).toMatchObject({
          ok: true,
          steps: [
            { step: "Connect", ok: true },
            { step: "Authenticate", ok: true }
          ]
        })
        expect(sink.messages()).toEqual([])
        const { port } = sink
        await sink.stop()
        await own("PATCH", `/${id}`, { url: `smtp://127.0.0.1:${port}` })
        const gone = await own<Check>("POST", `/${id}/check`)
        expect(gone.value).toMatchObject({ ok: false, steps: [{ step: "Connect", ok: false }] })
      } finally {
        await sink.stop()
      }
    })

    describe("reports", () => {
      /** Submits an email of the sandbox, with the reference that its Message-ID contains. */
      const send = async () => {
        const { sandbox } = workspace
        const email = `${randomUUID()}@people.example`
        const { id } = (
          await sandbox.api<{ readonly id: string }>("POST", "/sending/emails", {
            to: email,
            subject: "Hello",
            html: "<p>Hello</p>"
          })
        ).value
        const inbox = () =>
          sandbox.manage<Page<{ readonly id: string; readonly to: string }>>("GET", "/inbox")
        const isTheirs = ({ to }: { readonly to: string }) => to === email
        const arrived = await eventually(inbox, ({ value }) => value.items.some(isTheirs))
        const message = arrived.value.items.find(isTheirs)!
        const raw = await target().fetch(`/manage/v1/accounts/${sandbox.accountId}/inbox/${message.id}/raw`, {
          headers: { authorization: `Bearer ${target().managementToken}` }
        })
        const [, reference = ""] = /^Message-ID:\s*<([^>]+)>/im.exec(await raw.text()) ?? []
        const status = async () =>
          (await sandbox.manage<EmailDetail>("GET", `/emails/${id}`)).value.recipients[0]!.status
        return { email, reference, status }
      }

      const relayOf = async (kind: string, feedback: object): Promise<Relay> => {
        const made = await own("POST", "", { name: kind, kind, url, feedback })
        expect(made.status).toBe(201)
        return made.value
      }

      const report = (id: string, body: NonNullable<Sent["body"]>, headers: Sent["headers"] = {}) =>
        call(target(), "POST", `/ingest/v1/relays/${id}/feedback`, {
          body,
          headers: { "content-type": "application/json", ...headers }
        })

      const bounce = (email: string, reference: string, MessageID = randomUUID()) => ({
        RecordType: "Bounce",
        Type: "HardBounce",
        MessageID,
        Email: email,
        Details: "smtp;550 5.1.1 The email account that you tried to reach does not exist",
        BouncedAt: new Date(target().now()).toISOString(),
        Metadata: { "svc-delivery": reference }
      })

      const basic = (user: string, pass: string) => ({
        authorization: `Basic ${Buffer.from(`${user}:${pass}`).toString("base64")}`
      })

      it("takes Postmark's, by the user name and password", async () => {
        const { feedbackUrl, id } = await relayOf("Postmark", { username: "relay", password: "word" })
        expect(feedbackUrl).toBe(`${target().baseUrl}/ingest/v1/relays/${id}/feedback`)
        const { email, reference, status } = await send()
        const body = JSON.stringify(bounce(email, reference))
        for (const headers of [{}, basic("relay", "wrong"), basic("", "")]) {
          expect((await report(id, body, headers)).status).toBe(401)
        }
        expect((await report(randomUUID(), body, basic("relay", "word"))).status).toBe(401)
        expect((await report("no-id", body, basic("relay", "word"))).status).toBe(401)
        expect(await status()).toBe("Delivered")
        expect((await report(id, body, basic("relay", "word"))).status).toBe(200)
        expect((await report(id, body, basic("relay", "word"))).status).toBe(200)
        expect(await status()).toBe("Bounced")
        expect((await own("GET", `/${id}`)).value.lastReportAt).toEqual(expect.any(String))
        // A report about an unknown delivery, of an unknown kind, or that is not JSON: repeating it would not help.
        for (const other of [
          JSON.stringify(bounce(email, "unknown")),
          JSON.stringify({ RecordType: "Inbound" }),
          "no json",
          "[".repeat(10_000)
        ]) {
          expect((await report(id, other, basic("relay", "word"))).status).toBe(200)
        }
        expect((await report(id, "x".repeat(1024 * 1024 + 1), basic("relay", "word"))).status).toBe(413)
      })

      it("ignores what another company's relay reports of a delivery", async () => {
        const theirs = await at(`/companies/${stranger.companyId}/relays`, "POST", "", {
          name: "Theirs",
          kind: "Postmark",
          url,
          feedback: { username: "relay", password: "word" }
        })
        const { email, reference, status } = await send()
        const body = JSON.stringify(bounce(email, reference))
        expect((await report(theirs.value.id, body, basic("relay", "word"))).status).toBe(200)
        expect(await status()).toBe("Delivered")
      })

      it("takes SendGrid's batches by their signature, whatever one entry is", async () => {
        const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "prime256v1" })
        const { id } = await relayOf("SendGrid", {
          publicKey: publicKey.export({ type: "spki", format: "der" }).toString("base64")
        })
        const { email, reference, status } = await send()
        const seconds = String(Math.floor(target().now() / 1000))
        const body = JSON.stringify([
          17,
          {
            event: "bounce",
            email,
            timestamp: Number(seconds),
            "svc-delivery": reference,
            reason: "550 5.1.1 no such user",
            status: "5.1.1",
            sg_message_id: "a.filter"
          },
          { event: "new kind", email, timestamp: 1 }
        ])
        const headers = {
          "x-twilio-email-event-webhook-timestamp": seconds,
          "x-twilio-email-event-webhook-signature": sign(
            "sha256",
            Buffer.from(seconds + body),
            privateKey
          ).toString("base64")
        }
        expect((await report(id, body)).status).toBe(401)
        expect((await report(id, `${body} `, headers)).status).toBe(401)
        expect((await report(id, body, headers)).status).toBe(200)
        expect(await status()).toBe("Bounced")
      })

      it("takes Mailgun's, each token once", async () => {
        const { id } = await relayOf("Mailgun", { signingKey: "signing-key" })
        const first = await send()
        const second = await send()
        const signedAgo = (seconds: number) => {
          const timestamp = String(Math.floor(target().now() / 1000) - seconds)
          const token = randomUUID().replaceAll("-", "")
          const signature = createHmac("sha256", "signing-key")
            .update(timestamp + token)
            .digest("hex")
          return { timestamp, token, signature }
        }
        const bodyOf = (
          signature: ReturnType<typeof signedAgo>,
          { email, reference }: { readonly email: string; readonly reference: string }
        ) =>
          JSON.stringify({
            signature,
            "event-data": {
              event: "failed",
              severity: "permanent",
              reason: "bounce",
              recipient: email,
              timestamp: Number(signature.timestamp),
              "delivery-status": { code: 550, message: "5.1.1 no such user" },
              "user-variables": { "svc-delivery": reference }
            }
          })
        const statusOf = async (body: string) => (await report(id, body)).status
        const signed = signedAgo(0)
        expect(await statusOf(bodyOf({ ...signed, signature: "0".repeat(64) }, first))).toBe(401)
        expect(await statusOf(bodyOf(signed, first))).toBe(200)
        for (const replayed of [first, second]) expect(await statusOf(bodyOf(signed, replayed))).toBe(401)
        // Mailgun repeats reports that were not acknowledged, minutes later.
        const repeated = signedAgo(600)
        const other = await send()
        for (const time of ["once", "again", "and again"]) {
          expect([time, await statusOf(bodyOf(repeated, other))]).toEqual([time, 200])
        }
        expect(await statusOf(bodyOf(repeated, second))).toBe(401)
        expect(await other.status()).toBe("Bounced")
        expect(await Promise.all([first.status(), second.status()])).toEqual(["Bounced", "Delivered"])
      })

      it("takes Resend's by the signature of Standard Webhooks", async () => {
        const key = Buffer.alloc(24, 7)
        const { id } = await relayOf("Resend", { secret: `whsec_${key.toString("base64")}` })
        const { email, reference, status } = await send()
        const seconds = String(Math.floor(target().now() / 1000))
        const body = JSON.stringify({
          type: "email.complained",
          created_at: new Date(target().now()).toISOString(),
          data: { email_id: randomUUID(), to: [email], tags: { "svc-delivery": reference } }
        })
        const signed = createHmac("sha256", key).update(`msg_1.${seconds}.${body}`).digest("base64")
        const headers = { "svix-id": "msg_1", "svix-timestamp": seconds, "svix-signature": `v1,${signed}` }
        expect((await report(id, body, { ...headers, "svix-id": "msg_2" })).status).toBe(401)
        expect((await report(id, body, headers)).status).toBe(200)
        expect((await workspace.sandbox.manage("GET", `/suppressions?q=${email}`)).text).toContain(email)
        expect(await status()).toBe("Delivered")
      })

      it("takes a report whatever the request says of its content", async () => {
        const { id } = await relayOf("Postmark", { username: "relay", password: "word" })
        for (const [type, encode] of [
          ["text/plain; charset=UTF-8", (body: string) => body],
          ["application/x-www-form-urlencoded", (body: string) => body],
          ["", (body: string) => body],
          ["application/json", (body: string) => `[17, ${body}, {"RecordType": "New"}, null]`]
        ] as const) {
          const { email, reference, status } = await send()
          const body = encode(JSON.stringify(bounce(email, reference)))
          const headers = { ...basic("relay", "word"), "content-type": type }
          expect([type, (await report(id, body, headers)).status]).toEqual([type, 200])
          expect([type, await status()]).toEqual([type, "Bounced"])
        }
      })

      it("takes what is compressed on the way, with the signature over its content", async () => {
        const { id } = await relayOf("Postmark", { username: "relay", password: "word" })
        const encoded = (encoding: string) => ({ ...basic("relay", "word"), "content-encoding": encoding })
        for (const [encoding, encode] of [
          ["gzip", gzipSync],
          ["GZIP", gzipSync],
          ["x-gzip", gzipSync],
          ["deflate", deflateSync],
          ["br", brotliCompressSync],
          ["identity", (body: string) => Buffer.from(body)]
        ] as const) {
          const { email, reference, status } = await send()
          const body = new Uint8Array(encode(JSON.stringify(bounce(email, reference))))
          expect([encoding, (await report(id, body, encoded(encoding))).status]).toEqual([encoding, 200])
          expect([encoding, await status()]).toEqual([encoding, "Bounced"])
        }
        const key = Buffer.alloc(24, 7)
        const resend = await relayOf("Resend", { secret: `whsec_${key.toString("base64")}` })
        const { email, reference, status } = await send()
        const seconds = String(Math.floor(target().now() / 1000))
        const body = JSON.stringify({
          type: "email.bounced",
          created_at: new Date(target().now()).toISOString(),
          data: {
            to: [email],
            message_id: `<${reference}>`,
            bounce: { type: "Permanent", subType: "General", message: "No such mailbox" }
          }
        })
        const signature = createHmac("sha256", key).update(`msg_1.${seconds}.${body}`).digest("base64")
        const signed = {
          "content-encoding": "gzip",
          "webhook-id": "msg_1",
          "webhook-timestamp": seconds,
          "webhook-signature": `v1,${signature}`
        }
        expect((await report(resend.id, new Uint8Array(gzipSync(`${body} `)), signed)).status).toBe(401)
        expect((await report(resend.id, new Uint8Array(gzipSync(body)), signed)).status).toBe(200)
        expect(await status()).toBe("Bounced")
      })

      it("refuses what is compressed otherwise, or is larger than a body may be", async () => {
        const { id } = await relayOf("Brevo", { username: "relay", password: "word" })
        const refused = async (encoding: string, body: Uint8Array, login = basic("relay", "word")) => {
          const answer = await report(id, new Uint8Array(body), { ...login, "content-encoding": encoding })
          return [answer.status, answer.codes]
        }
        const most = 1024 * 1024
        const packed = gzipSync("[]")
        const unsupported = [415, ["common.encoding_unsupported"]]
        const tooLarge = [413, ["common.body_too_large"]]
        expect(await refused("gzip", gzipSync(" ".repeat(most)))).toEqual([200, []])
        expect(await refused("gzip", gzipSync(" ".repeat(most + 1)))).toEqual(tooLarge)
        expect(await refused("br", brotliCompressSync(Buffer.alloc(64 * most)))).toEqual(tooLarge)
        expect(await refused("deflate", deflateSync(Buffer.alloc(64 * most)))).toEqual(tooLarge)
        for (const [encoding, body] of [
          ["gzip", Buffer.from("[]")],
          ["gzip", packed.subarray(0, -9)],
          ["gzip", Buffer.alloc(0)],
          ["deflate", packed],
          ["br", packed],
          ["gzip, gzip", gzipSync(packed)],
          ["compress", packed],
          ["zstd", packed]
        ] as const) {
          expect([encoding, ...(await refused(encoding, body))]).toEqual([encoding, ...unsupported])
        }
        expect(await refused("gzip", gzipSync(Buffer.alloc(64 * most)), basic("relay", "no"))).toEqual([
          401,
          ["auth.unauthorized"]
        ])
      })

      it("loses no other entry of a batch by one that no request of the API may have", async () => {
        const { id } = await relayOf("Mailjet", { username: "relay", password: "word" })
        const deep = `${"[".repeat(10_000)}${"]".repeat(10_000)}`
        for (const [about, broken] of [
          ["a key given twice", '{"event":"open","event":"sent"}'],
          ["a key of prototypes", '{"__proto__":{"event":"sent"},"event":{}}'],
          ["deep nesting", `{"event":"sent","comment":${deep}}`],
          ["a number out of range", '{"event":"sent","time":1e999}'],
          ["half a character", '{"event":"sent","comment":"\\ud800"}'],
          ["bytes that are not UTF-8", Buffer.from([0x22, 0xe9, 0xff, 0x22])],
          ["fields of other types", '{"event":["bounce"],"email":{},"time":[],"CustomID":7}'],
          ["nulls", '{"event":"bounce","email":null,"time":null,"CustomID":null,"MessageID":null}']
        ] as const) {
          const { email, reference, status } = await send()
          const time = Math.floor(target().now() / 1000)
          const entry = {
            event: "bounce",
            time,
            email,
            CustomID: reference,
            hard_bounce: true,
            error: "user unknown"
          }
          const body = Buffer.concat([
            Buffer.from("\ufeff["),
            Buffer.from(broken),
            Buffer.from(`,${JSON.stringify(entry)}]`)
          ])
          const answer = await report(id, new Uint8Array(body), basic("relay", "word"))
          expect([about, answer.status, await status()]).toEqual([about, 200, "Bounced"])
        }
      })

      it("takes Mailgun's repetitions for as long as it repeats, and none that are older", async () => {
        const { id } = await relayOf("Mailgun", { signingKey: "signing-key" })
        const aged = async (hours: number, token: string = randomUUID()) => {
          const timestamp = String(Math.floor(target().now() / 1000) - hours * 3600)
          const signature = createHmac("sha256", "signing-key")
            .update(timestamp + token)
            .digest("hex")
          const body = { signature: { timestamp, token, signature }, "event-data": { event: "accepted" } }
          return (await report(id, JSON.stringify(body))).status
        }
        expect([await aged(0), await aged(8), await aged(11.9)]).toEqual([200, 200, 200])
        expect([await aged(12.1), await aged(24 * 365), await aged(-1)]).toEqual([401, 401, 401])
        expect([await aged(0, ""), await aged(0, "x".repeat(200)), await aged(0, "a b")]).toEqual([
          401, 401, 401
        ])
      })

      it("takes whatever body has the password, and never fails", async () => {
        const words = fc.oneof(
          anyText,
          fc.constantFrom("Bounce", "delivered", "bounce", "svc-delivery", "5.1.1")
        )
        const bodies = fc.oneof(
          fc
            .anything({
              maxDepth: 3,
              key: words,
              values: [words, fc.double(), fc.boolean(), fc.constant(null)]
            })
            .map((value) => JSON.stringify(value) ?? ""),
          words,
          fc.constantFrom(
            "",
            "\u0000",
            "{",
            "[[[[",
            "[1,",
            '{"a":1,"a":2}',
            "9".repeat(5_000),
            '"\\ud800"',
            "\ufeff[]"
          )
        )
        for (const [kind, event] of [
          ["Postmark", { RecordType: "Bounce", Type: "HardBounce" }],
          ["Brevo", { event: "hard_bounce" }],
          ["Mailjet", { event: "bounce", hard_bounce: true }],
          ["SparkPost", { msys: { message_event: { type: "bounce", bounce_class: "10" } } }]
        ] as const) {
          const { id } = await relayOf(kind, { username: "relay", password: "word" })
          const nested = `${"[".repeat(5_000)}${"]".repeat(5_000)}`
          for (const body of [...fc.sample(bodies, 12), nested, JSON.stringify([event, [event], null])]) {
            const { status } = await report(id, body, basic("relay", "word"))
            expect([kind, body, status]).toEqual([kind, body, 200])
          }
        }
      })

      it("takes text that cannot be stored in each field of a report", async () => {
        const { id } = await relayOf("Postmark", { username: "relay", password: "word" })
        const happened = new Date(target().now()).toISOString()
        for (const wrong of ["a\u0000b", "a\ud800b", "\u0000"]) {
          const { email, reference, status } = await send()
          const named = { MessageID: randomUUID(), Recipient: email, Metadata: { "svc-delivery": reference } }
          const body = JSON.stringify([
            {
              ...named,
              RecordType: "Delivery",
              MessageID: `${wrong}-0123456789`,
              Metadata: {},
              DeliveredAt: happened
            },
            { ...named, RecordType: "Delivery", Recipient: wrong, Details: wrong, DeliveredAt: wrong },
            { ...named, RecordType: "Open", UserAgent: wrong, ReceivedAt: happened, Geo: { IP: wrong } },
            { ...named, RecordType: "Click", UserAgent: wrong, ReceivedAt: happened, OriginalLink: wrong },
            { ...named, RecordType: "Bounce", Type: "Transient", Details: wrong, BouncedAt: happened },
            { ...bounce(email, reference), Details: `550 5.1.1 no such user ${wrong}`, Description: wrong }
          ])
          expect([wrong, (await report(id, body, basic("relay", "word"))).status]).toEqual([wrong, 200])
          expect(await status()).toBe("Bounced")
        }
      })

      it("takes none of SES whose certificate is elsewhere", async () => {
        const topicArn = "arn:aws:sns:eu-west-1:123456789012:mail"
        const { id } = await relayOf("AmazonSes", { topicArn })
        const message = {
          Type: "Notification",
          MessageId: randomUUID(),
          TopicArn: topicArn,
          Message: "{}",
          Timestamp: new Date(target().now()).toISOString(),
          SignatureVersion: "2",
          Signature: "c2lnbmF0dXJl"
        }
        for (const SigningCertURL of [
          "https://sns.eu-west-1.amazonaws.com.example.com/cert.pem",
          "https://sns.eu-west-1.amazonaws.com@example.com/cert.pem",
          "https://user:word@sns.eu-west-1.amazonaws.com/cert.pem",
          "https://sns.eu-west-1.amazonaws.com:8443/cert.pem",
          "https://sns.eu-west-1.amazonaws.com:443/cert.pem",
          "https://sns.eu-west-1.amazonaws.com%2eexample.com/cert.pem",
          "https://sns.eu-west-1.amazonaws.com%00.example.com/cert.pem",
          "https://sns.eu-west-1.amazonaws.com./cert.pem",
          "https://sns%2Eeu-west-1.amazonaws.com/cert.pem",
          "https://sns.eu-west-1.amazonaws.com/%2e%2e/cert.pem",
          "https:\\\\sns.eu-west-1.amazonaws.com\\cert.pem",
          "http://sns.eu-west-1.amazonaws.com/cert.pem",
          "//sns.eu-west-1.amazonaws.com/cert.pem",
          "https://sns.eu-west-1.amazon\u0430ws.com/cert.pem",
          "https://sns.eu-west-1.amazonaws.com\nexample.com/cert.pem",
          "https://bucket.s3.eu-west-1.amazonaws.com/cert.pem",
          "https://sns-eu-west-1.amazonaws.com/cert.pem",
          "https://example.com/sns.eu-west-1.amazonaws.com/cert.pem",
          "",
          null,
          17,
          ["https://sns.eu-west-1.amazonaws.com/cert.pem"]
        ]) {
          expect((await report(id, JSON.stringify({ ...message, SigningCertURL }))).status).toBe(401)
        }
      })
    })
  })
}
