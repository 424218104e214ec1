/**
 * Tests of the rules of webhooks.
 *
 * @module
 */
import { createHmac } from "node:crypto"
import * as fc from "fast-check"
import { Webhook as StandardWebhook } from "standardwebhooks"
import { describe, expect, it } from "vitest"
import { isPrivateName, isPublic } from "../../../adapters/webhooks/Addresses.ts"
import { emailEventTypes, type EmailEvent } from "../../../core/model/EmailEvent.ts"
import { fromBase64, toBase64 } from "../../../core/shared/Bytes.ts"
import { bounceReason, emailBody, testBody } from "../../../core/webhooks/Payload.ts"
import { formatSecret, keyOfSecret, signedHeaders } from "../../../core/webhooks/Signature.ts"
import {
  type AttemptAnswer,
  type SigningSecret,
  succeeded,
  type Webhook
} from "../../../core/model/Webhook.ts"
import {
  concurrencyOf,
  countAttempts,
  maxAttempts,
  maxFailuresInARow,
  nextNotificationAttemptAt,
  rotate,
  rotationMillis,
  signingSecrets,
  wantedOf
} from "../../../core/webhooks/WebhookRules.ts"

const webhook: Webhook = {
  id: "id",
  accountId: "account",
  url: "https://hooks.example/",
  events: [],
  fields: [],
  description: null,
  secrets: [],
  status: "Active",
  stoppedReason: null,
  failuresInARow: 0,
  createdAt: 0
}

const answerOf = (httpStatus: number | null): AttemptAnswer => ({
  httpStatus,
  error: httpStatus === null ? "timeout" : null,
  durationMs: 1,
  answer: null
})

const answers = fc.array(fc.constantFrom(204, 500, null).map(answerOf), { maxLength: 60 })

describe("countAttempts", () => {
  it("returns the same attempt by attempt as in batches of any size", () => {
    fc.assert(
      fc.property(fc.array(answers, { maxLength: 6 }), (batches) => {
        const whole = countAttempts(webhook, batches.flat())
        expect(batches.reduce(countAttempts, webhook)).toEqual(whole)
        expect(batches.flat().reduce((before, answer) => countAttempts(before, [answer]), webhook)).toEqual(
          whole
        )
      })
    )
  })

  it("stops a webhook exactly after 15 failures in a row, permanently", () => {
    fc.assert(
      fc.property(answers, (all) => {
        const text = all.map((answer) => (succeeded(answer) ? "s" : "f")).join("")
        const stopped = text.includes("f".repeat(maxFailuresInARow))
        const after = countAttempts(webhook, all)
        expect(after.status).toBe(stopped ? "Stopped" : "Active")
        expect(after.stoppedReason === null).toBe(!stopped)
        expect(after.failuresInARow).toBe(stopped ? maxFailuresInARow : /f*$/.exec(text)![0].length)
        if (stopped) expect(countAttempts(after, [answerOf(204)])).toEqual(after)
      })
    )
  })

  it("never allows more concurrent requests than may still fail", () => {
    for (let failures = 0; failures < maxFailuresInARow; failures++) {
      expect(failures + concurrencyOf(failures)).toBeLessThanOrEqual(maxFailuresInARow)
      expect(concurrencyOf(failures)).toBeGreaterThan(0)
    }
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 15 }),
        fc.double({ min: 0, max: 1e5, noNaN: true }),
        (failures, pace) => {
          const concurrency = concurrencyOf(failures)
          expect(wantedOf(concurrency, pace)).toBeGreaterThanOrEqual(concurrency)
          expect(wantedOf(concurrency, pace)).toBeLessThanOrEqual(200)
        }
      )
    )
  })

  it("counts any 2xx as a success, and nothing else", () => {
    const good = Array.from({ length: 600 }, (_, status) => status).filter((status) =>
      succeeded(answerOf(status))
    )
    expect(good).toEqual(Array.from({ length: 100 }, (_, index) => 200 + index))
    expect(succeeded(answerOf(null))).toBe(false)
  })
})

describe("nextNotificationAttemptAt", () => {
  it("waits 1, 5, 15, 60 and 180 minutes, and then ends", () => {
    const waits = Array.from({ length: 8 }, (_, index) => nextNotificationAttemptAt(index + 1, 0))
    expect(waits).toEqual([...[1, 5, 15, 60, 180].map((minutes) => minutes * 60_000), null, null, null])
    expect(maxAttempts).toBe(6)
  })
})

describe("secrets", () => {
  it("sign for 24 hours after they were replaced", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 2 * rotationMillis }), { maxLength: 8 }), (steps) => {
        let now = 0
        let secrets: ReadonlyArray<SigningSecret> = [{ sealed: "0", until: null }]
        const replaced = new Map<string, number>()
        for (const [index, step] of steps.entries()) {
          now += step
          replaced.set(String(index), now)
          secrets = rotate(secrets, String(index + 1), now)
          const expected = [...replaced]
            .filter(([, at]) => at + rotationMillis > now)
            .map(([sealed]) => sealed)
            .toReversed()
          expect(signingSecrets(secrets, now).map(({ sealed }) => sealed)).toEqual(
            [String(index + 1), ...expected].slice(0, 5)
          )
          expect(secrets[0]!.until).toBeNull()
        }
      })
    )
  })

  it("decode to the bytes they were made of", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 80 }), (bytes) => {
        expect(toBase64(bytes)).toBe(Buffer.from(bytes).toString("base64"))
        expect(fromBase64(toBase64(bytes))).toEqual(bytes)
      })
    )
  })

  it("sign as the reference library does", () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 32, maxLength: 32 }),
        fc.string({ unit: "binary" }).filter((text) => text.isWellFormed()),
        fc.integer({ min: 0, max: 4e12 }),
        (bytes, body, at) => {
          const secret = formatSecret(bytes)
          const crypto = {
            hmacSha256: (key: Uint8Array, text: string) =>
              createHmac("sha256", key).update(text, "utf8").digest()
          }
          const headers = signedHeaders(crypto as never, [keyOfSecret(secret)], "msg", at, body)
          expect(headers["webhook-signature"]).toBe(
            new StandardWebhook(secret).sign("msg", new Date(at), body)
          )
          expect(headers["webhook-timestamp"]).toBe(String(Math.floor(at / 1000)))
        }
      )
    )
  })
})

describe("bodies", () => {
  const nullable = fc.option(fc.string())
  it("omit fields without a value, and contain a link and a reason only in their events", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...emailEventTypes),
        nullable,
        nullable,
        nullable,
        nullable,
        (type, url, reason, contactId, sourceId) => {
          const event: EmailEvent = {
            accountId: "a",
            deliveryId: "d",
            submissionId: "s",
            type,
            email: "ada@example.org",
            url,
            visitor: null,
            reason,
            at: 1_700_000_000_000
          }
          const { data, ...rest } = JSON.parse(emailBody("n", event, { contactId, sourceId })) as Record<
            string,
            object
          >
          expect(rest).toEqual({ id: "n", type, created_at: "2023-11-14T22:13:20.000Z" })
          const why = type === "email.bounced" ? (reason ?? bounceReason) : reason
          const hasReason = type === "email.bounced" || type === "email.complained"
          expect(data).toEqual({
            message_id: "d",
            email: "ada@example.org",
            ...(contactId === null ? {} : { contact_id: contactId }),
            ...(sourceId === null ? {} : { source_id: sourceId }),
            ...(url === null || type !== "email.clicked" ? {} : { url }),
            ...(why === null || !hasReason ? {} : { reason: why })
          })
        }
      )
    )
    expect(JSON.parse(testBody("n", 0))).toEqual({
      id: "n",
      type: "webhook.test",
      created_at: "1970-01-01T00:00:00.000Z",
      data: { reason: expect.stringMatching(/\S/) }
    })
  })
})

describe("addresses", () => {
  it.each([
    "8.8.8.8",
    "1.1.1.1",
    "99.255.255.255",
    "100.128.0.0",
    "172.15.255.255",
    "172.32.0.0",
    "192.0.1.1",
    "198.17.255.255",
    "198.20.0.0",
    "223.255.255.255",
    "2001:4860:4860::8888",
    "2606:4700::1111",
    "2a00:1450:4001:81b::200e"
  ])("%s is public", (address) => expect(isPublic(address)).toBe(true))

  it.each([
    "",
    "hook.test",
    "0.0.0.0",
    "0.1.2.3",
    "10.0.0.0",
    "10.255.255.255",
    "100.64.0.0",
    "100.127.255.255",
    "127.0.0.1",
    "127.255.255.255",
    "169.254.0.1",
    "169.254.169.254",
    "172.16.0.0",
    "172.31.255.255",
    "192.0.0.1",
    "192.0.2.1",
    "192.88.99.1",
    "192.168.0.0",
    "192.168.255.255",
    "198.18.0.0",
    "198.19.255.255",
    "198.51.100.1",
    "203.0.113.1",
    "224.0.0.1",
    "239.255.255.255",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::7f00:1",
    "::ffff:127.0.0.1",
    "::ffff:8.8.8.8",
    "::ffff:0:8.8.8.8",
    "64:ff9b::8.8.8.8",
    "64:ff9b::a00:1",
    "64:ff9b:1::1",
    "64:ff9b:1:ffff::1",
    "100::1",
    "2001::1",
    "2001:2::1",
    "2001:10::1",
    "2001:20::1",
    "2001:db8::1",
    "2002::1",
    "2002:a00:1::1",
    "2002:808:808::1",
    "3fff::1",
    "5f00::1",
    "fc00::1",
    "fdff::1",
    "fe80::1",
    "fe80::1%eth0",
    "2606:4700::1111%eth0",
    "febf::1",
    "fec0::1",
    "ff02::1",
    "ff0e::1",
    "4000::1"
  ])("%s is not public", (address) => expect(isPublic(address)).toBe(false))

  it("every private IPv4 address is rejected, in any IPv6 form of it", () => {
    const octet = fc.integer({ min: 0, max: 255 })
    const tail = fc.tuple(octet, octet).map((pair) => pair.join("."))
    const privates = fc.oneof(
      tail.map((end) => `10.7.${end}`),
      tail.map((end) => `127.0.${end}`),
      tail.map((end) => `192.168.${end}`),
      tail.map((end) => `169.254.${end}`),
      tail.map((end) => `172.20.${end}`),
      tail.map((end) => `100.100.${end}`)
    )
    fc.assert(
      fc.property(privates, (address) => {
        const forms = [
          address,
          `::ffff:${address}`,
          `::${address}`,
          `64:ff9b::${address}`,
          `64:ff9b:1::${address}`
        ]
        expect(forms.filter(isPublic)).toEqual([])
      })
    )
  })

  it("a name that can only be private is detected", () => {
    for (const name of ["localhost", "a.localhost", "box", "printer.local", "db.internal", "x.home.arpa."]) {
      expect(isPrivateName(name)).toBe(true)
    }
    for (const name of ["example.com", "local.example", "hooks.example.com."])
      expect(isPrivateName(name)).toBe(false)
  })
})
