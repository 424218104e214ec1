/**
 * Sends an email with the typed client: `SVC_BASE_URL=http://127.0.0.1:3000 SVC_API_KEY=... node client.ts`.
 *
 * @module
 */
import { setTimeout } from "node:timers/promises"
import { ApiError, createClient } from "svc/client"

const { SVC_API_KEY: apiKey, SVC_BASE_URL: baseUrl } = process.env
if (apiKey === undefined || baseUrl === undefined) throw new Error("Set SVC_BASE_URL and SVC_API_KEY.")

const svc = createClient({ baseUrl, apiKey })

const { contact } = await svc.contacts.write({
  email: "ada@example.org",
  firstName: "Ada",
  consent: { basis: "Subscribed", proof: { text: "Yes, send me the newsletter" } }
})
console.log(`${contact.email} is ${contact.consentStatus}`)

// The same idempotency key means the same email, however often this runs.
const email = { to: "ada@example.org", subject: "Your order A-17", text: "Thank you." }
const { id } = await svc.sending.submit(email, { idempotencyKey: "order-A-17" })
const again = await svc.sending.submit(email, { idempotencyKey: "order-A-17" })
console.log(again.id === id ? "sent once" : "sent twice")

let { status } = await svc.sending.get(id)
for (let waited = 0; status === "Queued" && waited < 100; waited++) {
  await setTimeout(100)
  ;({ status } = await svc.sending.get(id))
}
console.log(`the email is ${status}`)

try {
  await svc.contacts.get("ext:nobody")
} catch (error) {
  if (!(error instanceof ApiError)) throw error
  console.log(`${error.status} ${error.code}`)
}
