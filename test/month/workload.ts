/**
 * The workload of a simulated month: the actions of people, of the company's systems, its shop and its operator, hour by hour,
 * all derived from a seed.
 *
 * @module
 */
import { expect } from "vitest"
import { type SeededRandom, makeSeededRandom } from "../../runtimes/embedded/SeededRandom.ts"
import type { Embedded } from "../../runtimes/embedded/index.ts"
import { call } from "../support/client.ts"
import type { ContactWritten, EmailAccepted } from "../support/shapes.ts"
import type { EntryPoint } from "../support/targets.ts"
import { type Company, withoutNames } from "./company.ts"
import { type Basis, type Model, unsubscribeUrl } from "./Model.ts"
import { reportOf } from "./reports.ts"
import type { Sent, Environment } from "./environment.ts"

/** The hours in which the company is active. After them, work in progress ends. */
export const activeHours = 24 * 27

const basisOf = (chance: number): Basis | null =>
  chance < 0.5 ? "Subscribed" : chance < 0.75 ? "Customer" : chance < 0.85 ? "Unsubscribed" : null

const consentOf = (basis: Basis | null): object =>
  basis === null ? {} : { consent: { basis, ...(basis === "Subscribed" ? { proof: { text: "Yes." } } : {}) } }

const domains = ["grey", "relayed", "mail", "mail", "mail", "mail", "mail", "mail"]

/** The most events of one call. */
const mostEvents = 100

/** The address of the person with that number. */
export const addressOf = (index: number): string => `p${index}@${domains[index % domains.length]!}.example`

/** The environment and model that the workload uses. */
export interface WorkloadOptions {
  readonly service: Embedded
  readonly entryPoint: EntryPoint
  readonly company: Company
  readonly environment: Environment
  readonly model: Model
  readonly people: number
}

/** Makes the function that performs the actions of an hour. It must be called for each hour in order. */
export const makeWorkload = (
  { company, entryPoint, model, people, service, environment }: WorkloadOptions,
  seed: string
) => {
  const random: SeededRandom = makeSeededRandom(`life ${seed}`)
  const chance = () => random.nextDoubleUnsafe()
  const below = (count: number) => Math.floor(chance() * count)
  /** The number of actions in an hour that concerns `share` of all people on average. */
  const times = (share: number) => Math.floor(people * share + chance())
  const { account, flowToken, shop, triggerPath } = company
  let next = 0
  let serial = 0
  const known: Array<string> = []
  const orders: Array<{ readonly id: string; readonly email: string }> = []
  /** Reactions of people and servers to mail, by the hour in which they are due. */
  const later = new Map<number, Array<() => Promise<void>>>()
  const inHours = (hour: number, within: number, act: () => Promise<void>) => {
    const at = hour + 1 + below(within)
    const acts = later.get(at)
    if (acts === undefined) later.set(at, [act])
    else acts.push(act)
  }

  /** The address of a new person, or of a known one once there are enough. */
  const newPerson = (): string => {
    if (next >= people) return knownPerson()
    const email = addressOf(next++)
    known.push(email)
    return email
  }
  const knownPerson = (): string => known[below(known.length)]!

  const importPeople = async (from: ReadonlyArray<string>) => {
    const query = new URLSearchParams({
      name: `Import ${serial++}`,
      consent: JSON.stringify({ basis: "Subscribed", proof: { text: "Yes." } })
    })
    const path = `/manage/v1/accounts/${account.accountId}/imports?${query}`
    const answer = await call(entryPoint, "POST", path, {
      token: entryPoint.managementToken,
      body: `email,firstName\n${from.map((email, index) => `${email},Name${index}\n`).join("")}`,
      headers: { "content-type": "text/csv" }
    })
    expect(answer.status).toBe(202)
    for (const email of from) if (!model.erased.has(email)) model.write(email, "Subscribed")
  }

  const batch = async () => {
    const chosen = new Map(
      Array.from({ length: Math.min(1000, Math.max(2, Math.floor(people / 40))) }, () => [
        chance() < 0.5 ? newPerson() : knownPerson(),
        basisOf(chance())
      ])
    )
    const contacts = [...chosen].map(([email, basis]) => ({
      email,
      firstName: `First${serial++}`,
      attributes: { plan: chance() < 0.5 ? "pro" : "free" },
      ...consentOf(basis)
    }))
    const { value } = await account.api<{ failed: number }>("POST", "/contacts/batch", { contacts })
    expect(value.failed).toBe(0)
    for (const [email, basis] of chosen) model.write(email, basis)
  }

  const single = async () => {
    const email = newPerson()
    const basis = basisOf(chance())
    const { value } = await account.api<ContactWritten>("POST", "/contacts", { email, ...consentOf(basis) })
    model.write(email, basis)
    if (value.contact.consentStatus !== model.consent.get(email))
      model.fault(`${email} was returned with another consent`)
  }

  const leave = async () => {
    const email = knownPerson()
    await account.api("POST", "/contacts", { email, consent: { basis: "Unsubscribed" } })
    model.write(email, "Unsubscribed")
  }

  const post = async (url: string) => {
    const response = await entryPoint.fetch(url.replace(service.baseUrl, ""), {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: "List-Unsubscribe=One-Click"
    })
    expect([200, 303, 404]).toContain(response.status)
    return response.status
  }

  const optIn = async (hour: number) => {
    const email = newPerson()
    const { value } = await account.api<ContactWritten>("POST", "/contacts", { email })
    model.write(email, null)
    const asked = await account.manage<{ confirm: string }>(
      "POST",
      `/contacts/${value.contact.id}/double-opt-in`
    )
    model.ask(email)
    if (chance() < 0.7) {
      inHours(hour, 30, async () => {
        if ((await post(asked.value.confirm)) !== 404) model.confirm(email)
      })
    }
  }

  const events = async () => {
    const names = ["user.signed_up", "user.activated", "user.left", "user.looked"]
    const sent = Array.from({ length: times(0.02) + 1 }, () => ({
      // Occasionally an id that was sent before.
      id: `event-${chance() < 0.05 ? below(serial + 1) : serial++}`,
      name: names[below(names.length)]!,
      contact: { email: knownPerson() },
      properties: { plan: "pro" }
    }))
    for (let from = 0; from < sent.length; from += mostEvents) {
      const { value } = await account.api<{ rejected: Array<unknown> }>("POST", "/events", {
        events: sent.slice(from, from + mostEvents)
      })
      expect(value.rejected).toEqual([])
    }
    // An event about an unknown person creates the person.
    for (const { contact } of sent) model.write(contact.email, null)
  }

  const email = async () => {
    const to = chance() < 0.3 ? { to: knownPerson(), cc: [knownPerson()] } : { to: knownPerson() }
    const sendAt = new Date(service.now() + below(72) * 3_600_000).toISOString()
    const { status } = await account.api<EmailAccepted>("POST", "/sending/emails", {
      ...to,
      subject: `Transactional ${serial}`,
      html: `<p>It works.</p><a href="https://shop.example/t">Look</a>`,
      metadata: { serial: String(serial) },
      idempotencyKey: `email-${chance() < 0.05 ? below(serial + 1) : serial++}`,
      ...(chance() < 0.2 ? { sendAt } : {})
    })
    expect([200, 201]).toContain(status)
  }

  const trigger = async () => {
    const to = knownPerson()
    // Some calls are made again while the run of the first call waits.
    for (let calls = chance() < 0.2 ? 2 : 1; calls > 0; calls--) {
      const json = { id: `call-${serial++}`, email: to, consent: { basis: "Customer" } }
      const { status } = await call(entryPoint, "POST", triggerPath, { token: flowToken, json })
      expect(status).toBe(200)
      model.write(to, "Customer")
    }
  }

  const erase = async () => {
    const index = below(known.length)
    const [gone] = known.splice(index, 1)
    const { status } = await account.api("DELETE", `/contacts/email:${gone}`)
    // A person known only from mail is not a contact.
    if (status !== 404) expect(status).toBe(200)
    model.erase(gone!)
  }

  const report = async (name: string, data: object) => {
    const event = { id: `shop-${serial++}`, name, data }
    const answer = await shop.report(event)
    expect([name, answer.value.rejected]).toEqual([name, []])
  }
  const shopping = async () => {
    const buyer = `buyer${below(Math.max(3, people / 20))}@shop.example`
    const id = `order-${serial++}`
    const lines = [{ productId: "1", name: "Tea", quantity: 1 + below(5), price: "10.50" }]
    await report("cart.updated", {
      id: `cart-${buyer}`,
      email: buyer,
      currency: "EUR",
      total: "10.50",
      lines
    })
    if (chance() < 0.5) return
    await report("order.placed", {
      id,
      number: id,
      status: "Pending",
      currency: "EUR",
      total: `${1 + below(200)}.${10 + below(89)}`,
      email: buyer,
      cartId: `cart-${buyer}`
    })
    orders.push({ id, email: buyer })
  }
  const orderMoves = async () => {
    if (orders.length === 0) return
    const { email: buyer, id } = orders[below(orders.length)]!
    const status = ["Paid", "Paid", "Completed", "Refunded", "Cancelled"][below(5)]!
    await report("order.updated", { id, status, currency: "EUR", total: "20.10", email: buyer })
  }

  /** Schedules the reactions to a message that was sent: opens, clicks, unsubscribing, complaints, reports. */
  const react = (hour: number, { message, outcome }: Sent) => {
    const { html, raw, recipient, returnPath } = message
    const reporting = (name: Parameters<typeof reportOf>[0], done: () => void) =>
      inHours(hour, 40, async () => {
        if (model.erased.has(recipient)) return
        expect(await service.report(returnPath, reportOf(name))).toBe(true)
        done()
      })
    if (outcome === "Accepted") {
      if (chance() < 0.9) reporting("success", () => undefined)
      else reporting("bounce", () => model.suppress(recipient, "Bounced", service.now() - 1))
    }
    if (outcome !== "Delivered") return
    const text = html === null ? "" : Buffer.from(raw).toString("utf8")
    for (const [path] of text.matchAll(/http:\/\/svc\.test\/t\/[^"]+/g)) {
      if (chance() < 0.3)
        inHours(hour, 20, async () => {
          const { status } = await entryPoint.fetch(path.replace(service.baseUrl, ""), { redirect: "manual" })
          expect([200, 302, 404]).toContain(status)
        })
    }
    if (chance() < 0.004)
      reporting("complaint", () => model.suppress(recipient, "Complained", service.now() - 1))
    const out = unsubscribeUrl(message)
    if (out !== null && chance() < 0.02)
      inHours(hour, 40, async () => {
        if ((await post(out)) !== 404) model.write(recipient, "Unsubscribed")
      })
  }

  const often = async (count: number, act: () => Promise<void>) => {
    for (let done = 0; done < count; done++) await act()
  }

  /** Performs the actions of an hour, at its beginning. */
  return async (hour: number) => {
    for (const one of environment.takeSent()) react(hour, one)
    for (const act of later.get(hour) ?? []) await act()
    later.delete(hour)
    await company.operate(hour)
    if (hour === 0) await importPeople(Array.from({ length: Math.floor(people / 2) }, newPerson))
    // The file also contains erased people, whom the import does not restore.
    if (hour === 15 * 24) await importPeople([...model.erased].concat(Array.from({ length: 5 }, newPerson)))
    if (hour === 0 || hour >= activeHours) return
    if (hour % 12 === 3) await batch()
    // Many people unsubscribe while the domain's mail waits.
    if (hour === withoutNames.to * 24 - 6) await often(Math.floor(people / 5), leave)
    await often(times(0.002), single)
    await often(times(0.001), () => optIn(hour))
    await events()
    await often(times(0.005), email)
    await often(times(0.001), trigger)
    await often(times(0.0003), erase)
    await often(times(0.002), shopping)
    await often(times(0.001), orderMoves)
  }
}
