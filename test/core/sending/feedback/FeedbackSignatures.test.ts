/**
 * Tests that reports are accepted only from a sender with the secret or key of the relay.
 *
 * @module
 */
import { Context, Effect, Layer } from "effect"
import * as fc from "fast-check"
import { createHmac, generateKeyPairSync, sign } from "node:crypto"
import { describe, expect, it } from "vitest"
import { layer as cryptoLayer } from "../../../../adapters/crypto/Crypto.ts"
import { layer as verifierLayer } from "../../../../adapters/crypto/SignatureVerifier.ts"
import { Crypto } from "../../../../core/ports/Crypto.ts"
import { SignatureVerifier } from "../../../../core/ports/SignatureVerifier.ts"
import {
  isBasic,
  isSendGrid,
  isStandardWebhook,
  mailgunToken
} from "../../../../core/sending/feedback/FeedbackSignatures.ts"
import { standardKey } from "../../../../core/sending/relays/FeedbackSettings.ts"
import {
  certificateUrlOf,
  readSnsMessage,
  type SnsMessage,
  subscribeUrlOf
} from "../../../../core/sending/feedback/SnsMessage.ts"
import { topicCertificate, topicKey } from "../../../contract/topicCertificates.ts"
import { anyText } from "../../arbitraries.ts"

const services = Effect.runSync(Effect.scoped(Layer.build(Layer.merge(cryptoLayer, verifierLayer))))
const crypto = Context.get(services, Crypto)
const verifier = Context.get(services, SignatureVerifier)

const now = Date.UTC(2027, 0, 1)
const seconds = String(now / 1000)
const body = Buffer.from('[{"event":"delivered","words":"é"}]')

const certificateUrl = "https://sns.eu-central-1.amazonaws.com/SimpleNotificationService-0123456789abcdef.pem"
const topicArn = "arn:aws:sns:eu-central-1:123456789012:mail"

const notification: Readonly<Record<string, string>> = {
  Type: "Notification",
  MessageId: "22b80b92-fdea-4c2c-8f9d-bdfb0c7bf324",
  TopicArn: topicArn,
  Subject: "Amazon SES Email Event Notification",
  Message: '{"eventType":"Delivery"}\n',
  Timestamp: "2026-12-31T23:59:00.000Z",
  SignatureVersion: "2",
  SigningCertURL: certificateUrl,
  UnsubscribeURL: "https://sns.eu-central-1.amazonaws.com/?Action=Unsubscribe&SubscriptionArn=a"
}

const confirmation: Readonly<Record<string, string>> = {
  Type: "SubscriptionConfirmation",
  MessageId: "165545c9-2a5c-472c-8df2-7ff2be2b3b1b",
  Token: "2336412f37fb687f5d51e6e2425",
  TopicArn: topicArn,
  Message: "You have chosen to subscribe to the topic.",
  SubscribeURL: "https://sns.eu-central-1.amazonaws.com/?Action=ConfirmSubscription&TopicArn=a&Token=b",
  Timestamp: "2026-12-31T23:59:00.000Z",
  SignatureVersion: "1",
  SigningCertURL: certificateUrl
}

/** A message with the signature of SNS, over its names and values on lines, sorted by name. */
const signedBySns = (message: Readonly<Record<string, string>>): Readonly<Record<string, string>> => {
  const names = ["Message", "MessageId", "SubscribeURL", "Subject", "Timestamp", "Token", "TopicArn", "Type"]
  const text = names.flatMap((name) => (name in message ? [`${name}\n${message[name]}\n`] : [])).join("")
  const hash = message["SignatureVersion"] === "1" ? "sha1" : "sha256"
  return { ...message, Signature: sign(hash, Buffer.from(text), topicKey).toString("base64") }
}

const isSigned = ({ hash, signature, signed }: SnsMessage): boolean =>
  verifier.byCertificate(topicCertificate, hash, signed, signature, now)

describe("a message of SNS", () => {
  it("is verified by both versions of its signature, with and without a subject", () => {
    const { Subject: _, ...bare } = notification
    for (const message of [notification, bare, confirmation, { ...confirmation, SignatureVersion: "2" }]) {
      const read = readSnsMessage(signedBySns(message))
      expect(read).toMatchObject({ type: message["Type"], topicArn, message: message["Message"] })
      expect(isSigned(read!)).toBe(true)
    }
    expect(readSnsMessage(signedBySns(confirmation))?.subscribeUrl).toBe(confirmation["SubscribeURL"])
    expect(readSnsMessage(signedBySns(notification))?.subscribeUrl).toBeNull()
  })

  it("is not verified once a signed member is changed, added or removed", () => {
    for (const message of [notification, confirmation]) {
      const signed = signedBySns(message)
      const names = [
        "Message",
        "MessageId",
        "SubscribeURL",
        "Subject",
        "Timestamp",
        "Token",
        "TopicArn",
        "Type"
      ]
      for (const name of names) {
        const { [name]: value, ...without } = signed
        const changed = readSnsMessage({ ...signed, [name]: `${value}x` })
        const isUnsigned = value === undefined && !(name === "Subject" && message === notification)
        if (changed !== null) expect(isSigned(changed)).toBe(isUnsigned)
        const removed = readSnsMessage(without)
        if (removed !== null) expect(isSigned(removed)).toBe(value === undefined)
      }
    }
  })

  it("is refused with another version, certificate or form", () => {
    const signed = signedBySns(notification)
    const refused = [
      { ...signed, SignatureVersion: "3" },
      { ...signed, SignatureVersion: 1 },
      { ...signed, SigningCertURL: "https://sns.eu-central-1.amazonaws.com.evil.example/a.pem" },
      { ...signed, Signature: "not base64" },
      { ...signed, Signature: "" },
      { ...signed, Type: "Other" },
      { ...signed, Message: { eventType: "Delivery" } },
      { ...signed, TopicArn: null },
      null,
      [],
      "x"
    ]
    for (const one of refused) expect(readSnsMessage(one)).toBeNull()
  })

  it("names a certificate of SNS itself", () => {
    const accepted = [
      certificateUrl,
      "https://sns.us-gov-west-1.amazonaws.com/SimpleNotificationService.pem",
      "https://sns.cn-north-1.amazonaws.com.cn/SimpleNotificationService-a.pem"
    ]
    for (const url of accepted) expect(certificateUrlOf(url)).toBe(url)
    const refused = [
      "http://sns.eu-central-1.amazonaws.com/a.pem",
      "https://sns.eu-central-1.amazonaws.com.evil.example/a.pem",
      "https://sns.eu-central-1.amazonaws.com.cn.evil.example/a.pem",
      "https://sns.eu-central-1.amazonaws.com:8443/a.pem",
      "https://sns.eu-central-1.amazonaws.com@evil.example/a.pem",
      "https://evil.example/@sns.eu-central-1.amazonaws.com/a.pem",
      "https://evil.example/?https://sns.eu-central-1.amazonaws.com/a.pem",
      "https://evilsns.eu-central-1.amazonaws.com/a.pem",
      "https://evil.example#sns.eu-central-1.amazonaws.com/a.pem",
      "https://sns.eu-central-1.amazonaws.com.evil/a.pem",
      "https://sns.eu-central-1.amazonaws.com\\@evil.example/a.pem",
      "https://sns.eu-central-1.amazonaws.com\t.evil.example/a.pem",
      "https://sns.s3.amazonaws.com/a.pem",
      "https://sns.eu-central-1.s3.amazonaws.com/a.pem",
      "https://sns.eu-central-1.amazonaws.org/a.pem",
      "https://sns.amazonaws.com/a.pem",
      "https://SNS.us-east-1.amazonaws.com/a.pem",
      "https://sns.us-east-1.AMAZONAWS.com/a.pem",
      "HTTPS://sns.us-east-1.amazonaws.com/a.pem",
      "https://sns.us-east-1.amazonaws.com./a.pem",
      "https://sns.us-east-1.amazonaws.com.evil.example/a.pem",
      "https://user:word@sns.us-east-1.amazonaws.com/a.pem",
      "https://sns.us-east-1.amazonaws.com:443/a.pem",
      "https://sns.eu-central-1.amazonaws.com/a.pem?x=1",
      "https://sns.eu-central-1.amazonaws.com/?Action=a.pem",
      "https://sns.eu-central-1.amazonaws.com/a/../b.pem",
      "https://sns.eu-central-1.amazonaws.com/a.txt",
      "https://sns.eu-central-1.amazonaws.com/a.pem#",
      `https://sns.eu-central-1.amazonaws.com/${"a".repeat(3_000)}.pem`,
      "",
      null
    ]
    for (const url of refused) expect([url, certificateUrlOf(url)]).toEqual([url, null])
    expect(subscribeUrlOf(confirmation["SubscribeURL"]!)).toBe(confirmation["SubscribeURL"])
    expect(subscribeUrlOf("https://evil.example/?Action=ConfirmSubscription")).toBeNull()
    expect(subscribeUrlOf("https://sns.eu-central-1.amazonaws.com/?Action=Publish")).toBeNull()
  })

  it("is read from any input without failing", () => {
    const member = fc.constantFrom(...Object.keys(signedBySns({ ...confirmation, Subject: "a" })))
    fc.assert(
      fc.property(member, fc.oneof(anyText, fc.anything()), (name, value) => {
        const read = readSnsMessage({ ...signedBySns(notification), [name]: value })
        if (read !== null) isSigned(read)
        certificateUrlOf(String(typeof value === "string" ? value : ""))
      }),
      { numRuns: 200 }
    )
  })
})

describe("a report of SendGrid", () => {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "prime256v1" })
  const key = publicKey.export({ type: "spki", format: "der" }).toString("base64")
  const signature = sign("sha256", Buffer.concat([Buffer.from(seconds), body]), privateKey).toString("base64")

  it("is verified over its time and bytes", () => {
    const given = { timestamp: seconds, signature }
    expect(isSendGrid(verifier, given, key, body)).toBe(true)
    expect(isSendGrid(verifier, given, key, Buffer.concat([body, Buffer.from("\n")]))).toBe(false)
    expect(isSendGrid(verifier, { ...given, timestamp: `${now / 1000 + 1}` }, key, body)).toBe(false)
    expect(isSendGrid(verifier, { ...given, signature: null }, key, body)).toBe(false)
    expect(isSendGrid(verifier, { ...given, signature: "" }, key, body)).toBe(false)
    expect(isSendGrid(verifier, { ...given, timestamp: null }, key, body)).toBe(false)
    expect(isSendGrid(verifier, given, "no key", body)).toBe(false)
    // With a digit moved from the body to the timestamp, the signed bytes are the same.
    const moved = { timestamp: seconds.slice(0, -1), signature }
    expect(isSendGrid(verifier, moved, key, Buffer.concat([Buffer.from(seconds.slice(-1)), body]))).toBe(true)
  })
})

describe("a report of Mailgun", () => {
  const signingKey = "key-of-a-test"
  const signedAt = (timestamp: string, token = "0123456789abcdef") => ({
    signature: {
      timestamp,
      token,
      signature: createHmac("sha256", signingKey).update(`${timestamp}${token}`).digest("hex")
    }
  })

  it("is verified by its signature, with a token and a time that is near", () => {
    expect(mailgunToken(crypto, signedAt(seconds), signingKey, now)).toEqual({
      token: "0123456789abcdef",
      signedAt: now,
      expiresAt: now + 12 * 3_600_000
    })
    expect(mailgunToken(crypto, signedAt(seconds), "another key", now)).toBeNull()
    expect(mailgunToken(crypto, signedAt(seconds), signingKey, now + 12 * 3_600_000 + 1)).toBeNull()
    expect(mailgunToken(crypto, signedAt(seconds), signingKey, now - 5 * 60_000 - 1)).toBeNull()
    expect(mailgunToken(crypto, signedAt("soon"), signingKey, now)).toBeNull()
    expect(mailgunToken(crypto, signedAt(seconds, ""), signingKey, now)).toBeNull()
    // A subaccount's report has its own signature and one by the key of the parent account.
    const { signature } = signedAt(seconds)
    const ofSubaccount = { ...signature, signature: "0".repeat(64), "parent-signature": signature.signature }
    expect(mailgunToken(crypto, { signature: ofSubaccount }, signingKey, now)).not.toBeNull()
    expect(
      mailgunToken(crypto, { signature: { ...ofSubaccount, "parent-signature": "0" } }, signingKey, now)
    ).toBeNull()
    // The same signed text, split at another position.
    const divided = { ...signature, timestamp: `${seconds}0`, token: signature.token.slice(1) }
    expect(mailgunToken(crypto, { signature: divided }, signingKey, now)).toBeNull()
    for (const given of [{}, { signature: "x" }, { signature: { ...signature, signature: [] } }]) {
      expect(mailgunToken(crypto, given, signingKey, now)).toBeNull()
    }
  })
})

describe("a report by Standard Webhooks", () => {
  const secret = `whsec_${Buffer.from("0123456789abcdef01234567").toString("base64")}`
  const sign1 = (id: string, timestamp: string, key = standardKey(secret)!) =>
    `v1,${createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest("base64")}`
  const headers = { id: "msg_1", timestamp: seconds, signature: sign1("msg_1", seconds) }

  it("is verified by one of its signatures, not older than five minutes", () => {
    const isSent = (given: typeof headers, at = now, bytes: Uint8Array = body) =>
      isStandardWebhook(crypto, given, secret, bytes, at)
    expect(isSent(headers)).toBe(true)
    expect(isSent({ ...headers, signature: `v1,AAAA v1a,x ${headers.signature}` })).toBe(true)
    expect(isSent({ ...headers, signature: headers.signature.slice(3) })).toBe(false)
    expect(isSent({ ...headers, signature: `${"v1,x ".repeat(10)}${headers.signature}` })).toBe(false)
    expect(isSent({ ...headers, id: "msg_2" })).toBe(false)
    expect(isSent(headers, now + 5 * 60_000 + 1)).toBe(false)
    expect(isSent(headers, now - 5 * 60_000 - 1)).toBe(false)
    expect(isSent(headers, now, Buffer.from("{}"))).toBe(false)
    expect(isSent({ ...headers, timestamp: "soon", signature: sign1("msg_1", "soon") })).toBe(false)
    const none = { id: null, timestamp: null, signature: null }
    expect(isStandardWebhook(crypto, none, secret, body, now)).toBe(false)
    expect(isStandardWebhook(crypto, headers, "whsec_short", body, now)).toBe(false)
  })
})

describe("a report by basic authentication", () => {
  it("is accepted with the name and password alone", () => {
    const credentials = { username: "relay", password: "pässword: with a colon" }
    const header = (user: string, password: string) =>
      `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`
    expect(isBasic(crypto, header("relay", credentials.password), credentials)).toBe(true)
    expect(isBasic(crypto, header("relay", credentials.password).toLowerCase(), credentials)).toBe(false)
    expect(isBasic(crypto, header("relay", "other"), credentials)).toBe(false)
    expect(isBasic(crypto, header("other", credentials.password), credentials)).toBe(false)
    for (const given of [null, "", "Basic", "Basic ", "Bearer x", `Basic ${"A".repeat(10_000)}`]) {
      expect(isBasic(crypto, given, credentials)).toBe(false)
    }
  })
})
