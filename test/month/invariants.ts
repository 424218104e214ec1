/**
 * What must hold at every hour of a month, looked for in every row there is.
 *
 * @module
 */
import { createHash } from "node:crypto"
import type { Contact } from "../../core/model/Contact.ts"
import type { Run } from "../../core/model/Run.ts"
import type { Order } from "../../core/model/Order.ts"
import { isBought } from "../../core/model/Order.ts"
import { isPending } from "../../core/model/DeliveryStatus.ts"
import type { Delivery, SubmissionContent } from "../../core/model/Submission.ts"
import type { Embedded } from "../../runtimes/embedded/index.ts"
import type { Page } from "../support/shapes.ts"
import { type Company, retention } from "./company.ts"
import type { Ledger } from "./Ledger.ts"
import type { World } from "./world.ts"

interface Parcel {
  readonly createdAt: number
  readonly delivery: Delivery
}

interface Job {
  readonly id: string
  readonly queue: string
  readonly dueAt: number
}

/** Rows by what they are, told by a field that no others have. */
interface Rows {
  readonly contacts: ReadonlyArray<Contact>
  readonly parcels: ReadonlyArray<Parcel>
  readonly submissions: ReadonlyArray<SubmissionContent>
  readonly runs: ReadonlyArray<Run>
  readonly orders: ReadonlyArray<Order>
  readonly events: ReadonlyArray<{ readonly eventId: string; readonly status: string }>
  readonly jobs: ReadonlyArray<Job>
  readonly buried: ReadonlyArray<Job & { readonly why: string }>
}

const fields: Readonly<Record<keyof Rows, string>> = {
  contacts: "totalSpent",
  parcels: "delivery",
  submissions: "deliveryIds",
  runs: "isWaiting",
  orders: "reached",
  events: "person",
  jobs: "leasedUntil",
  buried: "buriedAt"
}

const dayMillis = 86_400_000
/** Retention comes round within this. */
const slack = dayMillis
const manyPeople = 2_000
const addressPattern = /[a-z]+\d+@[a-z]+\.example/g

const textOf = (row: object): string =>
  JSON.stringify(row, (_, value: unknown) =>
    value instanceof Uint8Array ? Buffer.from(value).toString("utf8") : value
  )

/** The addresses of people in a row; rows never change, so each is read once. */
const addresses = new WeakMap<object, ReadonlyArray<string>>()
const addressesIn = (row: object): ReadonlyArray<string> => {
  let found = addresses.get(row)
  if (found === undefined) {
    found = [...new Set(textOf(row).match(addressPattern))]
    addresses.set(row, found)
  }
  return found
}

const rowsOf = (world: World, accountId: string): Rows => {
  const rows = Object.fromEntries(Object.keys(fields).map((name) => [name, [] as Array<object>]))
  for (const table of world.tables()) {
    const all = [...table]
    const [first] = all
    if (first === undefined) continue
    const kind = Object.entries(fields).find(([, field]) => field in first)?.[0]
    if (kind !== undefined) {
      for (const row of all) if (!("accountId" in row) || row.accountId === accountId) rows[kind]!.push(row)
    }
  }
  return rows as unknown as Rows
}

/** Cents, so that sums are exact. */
const cents = (decimal: string): number => Math.round(Number(decimal) * 100)

/** What is looked at hour by hour. */
export const makeChecks = (service: Embedded, world: World, company: Company, ledger: Ledger) => {
  const { account } = company
  const total = async (path: string) =>
    (await account.manage<Page<unknown>>("GET", `${path}?pageSize=1`)).value.totalCount
  const same = (what: string, actual: unknown, expected: unknown) => {
    if (actual !== expected) ledger.fault(`${what} is ${String(actual)}, not ${String(expected)}`)
  }

  /** All runs there ever were; ended ones are forgotten in time. */
  const started = new Set<string>()

  ledger.consentOfShopper = (email) => {
    for (const table of world.tables()) {
      for (const row of table) {
        if (!(fields.contacts in row)) break
        const contact = row as Contact
        if (contact.email === email) return contact.consentStatus
      }
    }
    return undefined
  }

  const people = (rows: Rows) => {
    const living = rows.contacts.filter((contact) => contact.erasedAt === null)
    const bought = Map.groupBy(
      rows.orders.filter((order) => isBought(order.status)),
      (order) => order.contactId
    )
    for (const { consentStatus, email, id, orderCount, storeId, totalSpent } of living) {
      const expected = ledger.consent.get(email!)
      // What a shop's checkout means is the shop's to say; what follows from mail is not.
      const isOfShop = storeId !== null && !ledger.suppressed.has(email!)
      if (isOfShop) ledger.consent.set(email!, consentStatus)
      else same(`consent of ${email}`, consentStatus, expected)
      const theirs = bought.get(id) ?? []
      same(`orders of ${email}`, orderCount, theirs.length)
      const spent = theirs.reduce((sum, order) => sum + cents(order.total), 0)
      same(`spending of ${email}`, cents(totalSpent), spent)
    }
    same("people", living.length, ledger.consent.size)
  }

  const totals = async (rows: Rows) => {
    const { value } = await account.api<Page<unknown>>("GET", "/contacts?pageSize=1")
    same("total of contacts", value.totalCount, ledger.consent.size)
    same("total of emails", await total("/emails"), rows.submissions.length)
    same("total of events", await total("/events"), rows.events.length)
  }

  const segments = async () => {
    const { value } = await account.api<
      ReadonlyArray<{ builtInKey: string; count: number; sendableCount: number }>
    >("GET", "/segments")
    const all = value.find(({ builtInKey }) => builtInKey === "all")
    same("segment of all", all?.count, ledger.consent.size)
    same("sendable", all?.sendableCount, ledger.sendable())
    const subscribed = [...ledger.consent.values()].filter((status) => status === "Subscribed").length
    same("subscribed", value.find(({ builtInKey }) => builtInKey === "subscribed")?.count, subscribed)
  }

  const runs = (rows: Rows) => {
    const active = new Set<string>()
    for (const { contactId, flowId, id, status } of rows.runs) {
      if (status !== "Active") continue
      const key = `${flowId} ${contactId}`
      if (active.has(key)) ledger.fault(`run ${id} is a second active one of its contact`)
      active.add(key)
    }
  }

  /** Also runs that are over by now never ran beside another of their contact and flow. */
  const overlaps = (rows: Rows) => {
    const byPair = Map.groupBy(rows.runs, ({ contactId, flowId }) => `${flowId} ${contactId}`)
    for (const ofPair of byPair.values()) {
      const inOrder = ofPair.toSorted((a, b) => a.startedAt - b.startedAt)
      for (const [index, { id, startedAt }] of inOrder.entries()) {
        const before = inOrder[index - 1]
        if (before !== undefined && (before.endedAt ?? Infinity) > startedAt)
          ledger.fault(`run ${id} began before ${before.id} of the same contact was over`)
      }
    }
  }

  const forgotten = (rows: Rows, now: number) => {
    const pending = new Set<string>()
    for (const { createdAt, delivery } of rows.parcels) {
      if (isPending(delivery.status)) pending.add(delivery.submissionId)
      else if (delivery.email !== "" && createdAt < now - retention.recipientDays * dayMillis - slack)
        ledger.fault(`delivery ${delivery.id} still says whom it went to`)
    }
    for (const { contentErasedAt, createdAt, id } of rows.submissions) {
      if (contentErasedAt !== null || pending.has(id)) continue
      // What waited to be sent kept its content until then.
      if (createdAt < now - (retention.contentDays + 7) * dayMillis - slack)
        ledger.fault(`email ${id} still has its content`)
    }
  }

  let erasedBefore = 0
  /**
   * All rows are read when somebody was erased since, and otherwise every six hours; where there are very many people,
   * only that.
   */
  const erased = (hour: number) => {
    const isNews = ledger.erased.size > erasedBefore && ledger.consent.size < manyPeople
    if (!isNews && hour % 6 !== 0) return
    erasedBefore = ledger.erased.size
    for (const table of world.tables()) {
      for (const row of table) {
        for (const address of addressesIn(row)) {
          if (ledger.erased.has(address)) ledger.fault(`${address} was erased: ${textOf(row).slice(0, 300)}`)
        }
      }
    }
  }

  const work = (rows: Rows, now: number) => {
    for (const { dueAt, queue } of rows.jobs) {
      if (dueAt <= now) ledger.fault(`a job of ${queue} was due and is not done`)
    }
    for (const { queue, why } of rows.buried) ledger.fault(`a job of ${queue} was buried: ${why}`)
    for (const [date, sent] of ledger.firstTries) {
      if (sent > company.dailySendLimit) ledger.fault(`${sent} emails left on ${date}`)
    }
  }

  return {
    /** Looks at everything after an hour. */
    hourly: async (hour: number) => {
      const now = service.now()
      const rows = rowsOf(world, account.accountId)
      for (const { id } of rows.runs) started.add(id)
      people(rows)
      runs(rows)
      work(rows, now)
      erased(hour)
      await totals(rows)
      if (hour % 24 === 0) {
        forgotten(rows, now)
        overlaps(rows)
        await segments()
      }
      return {
        contacts: rows.contacts.length,
        deliveries: rows.parcels.length,
        runs: started.size,
        active: rows.runs.filter(({ status }) => status === "Active").length,
        orders: rows.orders.length,
        events: rows.events.length,
        pending: rows.parcels.filter(({ delivery }) => isPending(delivery.status)).length,
        jobs: Map.groupBy(rows.jobs, (job) => job.queue)
      }
    },
    /** Of every row there is. */
    stateDigest: () => {
      const digest = createHash("sha256")
      for (const table of world.tables()) for (const row of table) digest.update(textOf(row))
      return digest.digest("hex")
    }
  }
}
