/**
 * Tests a product that sends mail through the service. The service runs inside the test, with a clock that the test sets: `node
 * --test harness.test.ts`, or `bun test harness.test.ts`.
 *
 * @module
 */
import assert from "node:assert/strict"
import { afterEach, beforeEach, test } from "node:test"
import { type Client, createClient } from "svc/client"
import { type Embedded, start } from "svc/embedded"

const day = 24 * 60 * 60 * 1000

/** The code under test: the product greets people who sign up, and writes to them again a week later. */
const signUp = async (svc: Client, email: string, now: number): Promise<void> => {
  await svc.contacts.write({
    email,
    consent: { basis: "Subscribed", proof: { text: "Yes, send me tips." } }
  })
  await svc.sending.submit({ to: email, subject: "Welcome", text: "Good that you are here." })
  await svc.sending.submit({
    to: email,
    subject: "How is it going?",
    text: "A week has passed.",
    sendAt: new Date(now + 7 * day).toISOString()
  })
}

let service: Embedded
let svc: Client

beforeEach(async () => {
  service = await start({ startAt: Date.UTC(2030, 0, 1) })
  svc = createClient({ baseUrl: service.baseUrl, apiKey: service.sandbox.apiKey, fetch: service.fetch })
})

afterEach(() => service.close())

const subjects = async (): Promise<ReadonlyArray<string>> =>
  (await service.inbox()).map(({ subject }) => subject)

test("who signs up is greeted at once and reminded after a week", async () => {
  await signUp(svc, "ada@example.org", service.now())
  await service.settle()
  assert.deepEqual(await subjects(), ["Welcome"])

  await service.advance("6 days")
  assert.deepEqual(await subjects(), ["Welcome"])

  await service.advance("1 day")
  assert.deepEqual(await subjects(), ["How is it going?", "Welcome"])
  assert.equal(new Date(service.now()).toISOString().slice(0, 10), "2030-01-08")
})

test("the consent is kept with the words that were agreed to", async () => {
  await signUp(svc, "ada@example.org", service.now())
  const contact = await svc.contacts.get("email:ada@example.org")
  assert.equal(contact.consentStatus, "Subscribed")
  assert.equal(contact.consentUpdatedAt?.slice(0, 10), "2030-01-01")
})
