/**
 * The workload for a service that is killed and restarted. Each call is repeated until it is acknowledged. What was acknowledged
 * is recorded, and compared with the service's final state.
 *
 * @module
 */
import { setTimeout as delay } from "node:timers/promises"
import { api } from "./calls.ts"
import { queuedId } from "./relayed.ts"
import type { ReadyFile } from "./serverProcess.ts"
import { loggedIn } from "./smtpClient.ts"

/** The acknowledged writes. */
export interface Acknowledged {
  /** Addresses of contacts. */
  readonly contacts: Set<string>
  /** The person of each event, by the event's id. */
  readonly events: Map<string, string>
  /** The recipient of each email, by the email's id. */
  readonly emails: Map<string, string>
}

/** The pause between two calls of a customer, in milliseconds. The workload tests crashes, not throughput. */
const pauseMillis = 40
const contactsPerBatch = 20
const eventsPerCall = 4

/** The event that customers report. */
export const eventName = "user.signed_up"

/** Starts customers. `server` returns the service's current URLs; `stop` resolves once all calls are acknowledged. */
export const startWorkload = (
  server: () => Pick<ReadyFile, "baseUrl" | "smtp">,
  apiKey: string,
  from: string
) => {
  const acknowledged: Acknowledged = { contacts: new Set(), events: new Map(), emails: new Map() }
  const state = { running: true }
  let serial = 0

  /** Repeats a call until it succeeds, as a customer does whose connection was cut. */
  const callUntilDone = async <Value>(path: string, sent: unknown): Promise<Value> => {
    for (;;) {
      try {
        const { status, value } = await api<Value>(server().baseUrl, apiKey, `/api/v1${path}`, sent)
        if (status < 300) return value
        if (status !== 503) throw new Error(`${path} returned ${status}`)
      } catch (error) {
        if (error instanceof Error && error.message.includes(" returned ")) throw error
        await delay(50)
      }
    }
  }

  const customers: Record<string, (number: number) => Promise<void>> = {
    contact: async (number) => {
      const email = `contact-${number}@example.org`
      await callUntilDone("/contacts", { email, firstName: "Ada" })
      acknowledged.contacts.add(email)
    },
    batch: async (number) => {
      const contacts = Array.from({ length: contactsPerBatch }, (_, index) => ({
        email: `batch-${number}-${index}@example.org`
      }))
      const { failed } = await callUntilDone<{ failed: number }>("/contacts/batch", { contacts })
      if (failed > 0) throw new Error(`${failed} contacts of a batch failed`)
      for (const { email } of contacts) acknowledged.contacts.add(email)
    },
    events: async (number) => {
      const events = Array.from({ length: eventsPerCall }, (_, index) => ({
        id: `event-${number}-${index}`,
        name: eventName,
        contact: { email: `event-${number}-${index}@example.org` }
      }))
      const { rejected } = await callUntilDone<{ rejected: ReadonlyArray<unknown> }>("/events", { events })
      if (rejected.length > 0) throw new Error("An event was rejected")
      for (const { contact, id } of events) acknowledged.events.set(id, contact.email)
    },
    email: async (number) => {
      const to = `email-${number}@example.org`
      const sent = { to, subject: "Hello", text: "Hello", idempotencyKey: `email-${number}` }
      acknowledged.emails.set((await callUntilDone<{ id: string }>("/sending/emails", sent)).id, to)
    },
    /** Without an idempotency key, a call cannot be repeated: it counts only if it is acknowledged at once. */
    keyless: async (number) => {
      const to = `keyless-${number}@example.org`
      const sent = { to, subject: "Hello", text: "Hello" }
      const answer = await api<{ id: string }>(
        server().baseUrl,
        apiKey,
        "/api/v1/sending/emails",
        sent
      ).catch(() => null)
      if (answer?.status === 201) acknowledged.emails.set(answer.value.id, to)
    },
    smtp: async (number) => {
      const to = `smtp-${number}@example.org`
      const message = `From: ${from}\r\nTo: ${to}\r\nSubject: Hello\r\nX-Svc-Idempotency-Key: smtp-${number}\r\n\r\nHello\r\n`
      for (;;) {
        try {
          const client = await loggedIn(
            server().smtp.find(({ tls }) => tls)!,
            apiKey
          )
          try {
            acknowledged.emails.set(queuedId(await client.send([to], message)), to)
            return
          } finally {
            client.close()
          }
        } catch {
          await delay(50)
        }
      }
    }
  }

  const loops = Object.values(customers).map(async (act) => {
    while (state.running) {
      await act(serial++)
      await delay(pauseMillis)
    }
  })
  const all = Promise.all(loops)
  // `stop` reports a failure.
  all.catch(() => undefined)
  return {
    acknowledged,
    stop: async () => {
      state.running = false
      await all
    }
  }
}
