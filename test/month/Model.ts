/**
 * A model of the service: what must be true of people and their mail, derived only from the calls made and the mail sent, by an
 * independent second implementation of the specified rules.
 *
 * @module
 */
import type { OutboundMessage, Outcome } from "../../core/model/Message.ts"

/** The consent bases that a write can have. */
export type Basis = "Customer" | "Subscribed" | "Unsubscribed"

const isFinal = (status: string): boolean => status === "Bounced" || status === "Complained"

/** The consent after a write (docs/contributing/decisions.md 3). */
const climb = (status: string, basis: Basis): string => {
  if (isFinal(status)) return status
  if (basis !== "Customer") return basis
  return status === "Unknown" || status === "CheckoutStarted" ? "SoftOptIn" : status
}

const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10)

/** The unsubscribe URL of a message; only marketing messages have one (RFC 8058). */
export const unsubscribeUrl = (message: OutboundMessage): string | null =>
  /^List-Unsubscribe: <([^>]+)>/m.exec(Buffer.from(message.raw).toString("utf8"))?.[1] ?? null

/**
 * The most attempts of a notification, and the number of successive failures that stop a webhook (docs/contributing/public-api.md
 * "Webhooks").
 */
const mostAttempts = 6
const mostFailures = 15

/** The expected state of all people, and the violations found so far. */
export class Model {
  /** The expected consent of each stored person, by address. */
  readonly consent = new Map<string, string>()
  /** Addresses to which nothing may be sent, with the time since when. */
  readonly suppressed = new Map<string, number>()
  readonly erased = new Set<string>()
  readonly faults: Array<string> = []
  /** The stored consent of a customer of the shop, whose checkouts change consent in ways that the model does not follow. */
  consentOfShopper: (email: string) => string | undefined = () => undefined
  /** Subjects of campaigns of which nothing may be sent, because they are paused or cancelled. */
  readonly stopped = new Set<string>()
  /** Subjects of campaigns with a local time, which is the same for all people. */
  readonly notBefore = new Map<string, number>()
  /** Which campaigns were sent, and to whom. */
  readonly #campaigned = new Set<string>()
  /** The number of first attempts of emails, by UTC day. */
  readonly firstTries = new Map<string, number>()
  readonly #handed = new Map<string, Outcome["_tag"] | "InProgress">()
  /** The number of attempts of each notification, by webhook and notification. */
  readonly #attempts = new Map<string, number>()
  /** The number of successive failures of each webhook. */
  readonly #failures = new Map<string, number>()
  /** The notification that reported an event of an email to a webhook. */
  readonly #reported = new Map<string, string>()

  fault(text: string): void {
    if (this.faults.length < 20) this.faults.push(text)
  }

  /** Records a write of a person by the customer's own systems. */
  write(email: string, basis: Basis | null): void {
    const before = this.consent.get(email) ?? "Unknown"
    this.consent.set(email, basis === null ? before : climb(before, basis))
  }

  /** Records that the person was asked to confirm. */
  ask(email: string): void {
    const before = this.consent.get(email) ?? "Unknown"
    const asks = before !== "Subscribed" && !isFinal(before)
    this.consent.set(email, asks ? "PendingConfirmation" : before)
  }

  /** Records that the person confirmed. */
  confirm(email: string): void {
    if (this.consent.get(email) === "PendingConfirmation") this.consent.set(email, "Subscribed")
  }

  /** Records that a bounce or complaint suppresses the address. */
  suppress(email: string, verdict: "Bounced" | "Complained", now: number): void {
    if (!this.suppressed.has(email)) this.suppressed.set(email, now)
    const before = this.consent.get(email)
    if (before !== undefined && !isFinal(before)) this.consent.set(email, verdict)
  }

  /** The number of campaign messages sent. */
  campaigned(): number {
    return this.#campaigned.size
  }

  erase(email: string): void {
    this.consent.delete(email)
    this.erased.add(email)
  }

  /** The number of people who may receive marketing email. */
  sendable(): number {
    let count = 0
    for (const [email, status] of this.consent) {
      if ((status === "Subscribed" || status === "SoftOptIn") && !this.suppressed.has(email)) count++
    }
    return count
  }

  /** Records that a message is passed to its transport. */
  tried({ attempts }: OutboundMessage, now: number): void {
    const day = dayOf(now)
    if (attempts === 0) this.firstTries.set(day, (this.firstTries.get(day) ?? 0) + 1)
  }

  /** Checks a message that is about to be sent. */
  leaves(message: OutboundMessage, now: number): void {
    const { deliveryId, recipient, subject } = message
    const what = `${subject} to ${recipient} at ${new Date(now).toISOString()}`
    // A message sent in the same millisecond as the bounce was sent at the same time, not after it.
    if ((this.suppressed.get(recipient) ?? now) < now) this.fault(`${what}: suppressed`)
    if (this.erased.has(recipient)) this.fault(`${what}: erased`)
    const isShopper = recipient.endsWith("@shop.example")
    const status = (isShopper ? this.consentOfShopper(recipient) : this.consent.get(recipient)) ?? "unknown"
    if (unsubscribeUrl(message) !== null) {
      const agrees = status === "Subscribed" || status === "SoftOptIn"
      if (!agrees && this.suppressed.get(recipient) !== now) this.fault(`${what}: marketing to ${status}`)
    } else if (subject.startsWith("Marketing")) this.fault(`${what}: marketing without an unsubscribe link`)
    if (this.stopped.has(subject)) this.fault(`${what}: its campaign is paused or cancelled`)
    if (now < (this.notBefore.get(subject) ?? 0)) this.fault(`${what}: before its local time`)
    if (/^Marketing \d+$/.test(subject)) {
      const key = `${subject} ${recipient}`
      if (this.#campaigned.has(key)) this.fault(`${what}: twice`)
      this.#campaigned.add(key)
    }
    const before = this.#handed.get(deliveryId) ?? "Deferred"
    if (before !== "Deferred") this.fault(`${what}: left again after ${before}`)
    this.#handed.set(deliveryId, "InProgress")
  }

  /** Records the outcome of a message that was sent. */
  left(message: OutboundMessage, outcome: Outcome, now: number): void {
    this.#handed.set(message.deliveryId, outcome._tag)
    if (outcome._tag === "Bounced") this.suppress(message.recipient, "Bounced", now)
  }

  /** Records that a webhook was added; it has no failures yet. */
  added(url: string): void {
    this.#failures.delete(url)
  }

  /** Records a webhook's response to a notification. */
  responded(url: string, httpStatus: number): void {
    if (httpStatus < 300) this.#failures.delete(url)
    else this.#failures.set(url, (this.#failures.get(url) ?? 0) + 1)
  }

  /** Records that a notification is sent to a webhook. */
  notified(url: string, id: string, body: string): void {
    const { data, type } = JSON.parse(body) as { type: string; data: { message_id?: string } }
    const key = `${url} ${id}`
    const attempts = (this.#attempts.get(key) ?? 0) + 1
    this.#attempts.set(key, attempts)
    if ((this.#failures.get(url) ?? 0) >= mostFailures) this.fault(`${url} was stopped, and received ${id}`)
    if (attempts > mostAttempts) this.fault(`${url}: ${id} was tried ${attempts} times`)
    if (data.message_id === undefined || !type.startsWith("email.")) return
    const about = `${url} ${type} ${data.message_id}`
    if ((this.#reported.get(about) ?? id) !== id) this.fault(`${about} was reported twice`)
    this.#reported.set(about, id)
  }

  /** The most attempts of a notification, and the number of notifications. */
  notifications(): { readonly most: number; readonly count: number } {
    let most = 0
    // A loop, because there may be more values than a call accepts arguments.
    for (const attempts of this.#attempts.values()) most = Math.max(most, attempts)
    return { most, count: this.#attempts.size }
  }
}
