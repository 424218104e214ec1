/**
 * The invariants of a simulated month, checked every hour over all rows.
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
import type { Model } from "./Model.ts"
import type { Environment } from "./environment.ts"

interface DeliveryRow {
  readonly createdAt: number
  readonly delivery: Delivery
}

interface Job {
  readonly id: string
  readonly queue: string
  readonly dueAt: number
}

/** Rows by kind. Each kind is identified by a field that no other kind has. */
interface Rows {
  readonly contacts: ReadonlyArray<Contact>
  readonly deliveries: ReadonlyArray<DeliveryRow>
  readonly submissions: ReadonlyArray<SubmissionContent>
  readonly runs: ReadonlyArray<Run>
  readonly orders: ReadonlyArray<Order>
  readonly events: ReadonlyArray<{ readonly eventId: string; readonly status: string }>
  readonly jobs: ReadonlyArray<Job>
  readonly buried: ReadonlyArray<Job & { readonly why: string }>
}

const fields: Readonly<Record<keyof Rows, string>> = {
  contacts: "totalSpent",
  deliveries: "delivery",
  submissions: "deliveryIds",
  runs: "isWaiting",
  orders: "reached",
  events: "person",
  jobs: "leasedUntil",
  buried: "buriedAt"
}

const dayMillis = 86_400_000
/** Retention runs at least this often. */
const slack = dayMillis
const manyPeople = 2_000
const addressPattern = /[a-z]+\d+@[a-z]+\.example/g

const textOf = (row: object): string =>
  JSON.stringify(row, (_, value: unknown) =>
    value instanceof Uint8Array ? Buffer.from(value).toString("utf8") : value
  )

/** The addresses of people in a row. Rows are immutable, so each row is read only once. */
const addresses = new WeakMap<object, ReadonlyArray<string>>()
const addressesIn = (row: object): ReadonlyArray<string> => {
  let found = addresses.get(row)
  if (found === undefined) {
    found = [...new Set(textOf(row).match(addressPattern))]
    addresses.set(row, found)
  }
  return found
}

const rowsOf = (environment: Environment, accountId: string): Rows => {
  const rows = Object.fromEntries(Object.keys(fields).map((name) => [name, [] as Array<object>]))
  for (const table of environment.tables()) {
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

/** A decimal in cents, so that sums are exact. */
const cents = (decimal: string): number => Math.round(Number(decimal) * 100)

/** Makes the checks of a service. */
export const makeChecks = (service: Embedded, environment: Environment, company: Company, model: Model) => {
  const { account } = company
  const total = async (path: string) =>
    (await account.manage<Page<unknown>>("GET", `${path}?pageSize=1`)).value.totalCount
  const same = (what: string, actual: unknown, expected: unknown) => {
    if (actual !== expected) model.fault(`${what} is ${String(actual)}, not ${String(expected)}`)
  }

  /** The ids of all runs so far, because ended runs are pruned. */
  const started = new Set<string>()

  model.consentOfShopper = (email) => {
    for (const table of environment.tables()) {
      for (const row of table) {
        if (!(fields.contacts in row)) break
        const contact = row as Contact
        if (contact.email === email) return contact.consentStatus
      }
    }
    return undefined
  }

  const checkPeople = (rows: Rows) => {
    const living = rows.contacts.filter((contact) => contact.erasedAt === null)
    const bought = Map.groupBy(
      rows.orders.filter((order) => isBought(order.status)),
      (order) => order.contactId
    )
    for (const { consentStatus, email, id, orderCount, storeId, totalSpent } of living) {
      const expected = model.consent.get(email!)
      // Consent at a shop's checkout depends on the shop's mode; bounces and complaints do not.
      const isOfShop = storeId !== null && !model.suppressed.has(email!)
      if (isOfShop) model.consent.set(email!, consentStatus)
      else same(`consent of ${email}`, consentStatus, expected)
      const theirs = bought.get(id) ?? []
      same(`orders of ${email}`, orderCount, theirs.length)
      const spent = theirs.reduce((sum, order) => sum + cents(order.total), 0)
      same(`spending of ${email}`, cents(totalSpent), spent)
    }
    same("people", living.length, model.consent.size)
  }

  const checkTotals = async (rows: Rows) => {
    const { value } = await account.api<Page<unknown>>("GET", "/contacts?pageSize=1")
    same("total of contacts", value.totalCount, model.consent.size)
    same("total of emails", await total("/emails"), rows.submissions.length)
    same("total of events", await total("/events"), rows.events.length)
  }

  const checkSegments = async () => {
    const { value } = await account.api<
      ReadonlyArray<{ builtInKey: string; count: number; sendableCount: number }>
    >("GET", "/segments")
    const all = value.find(({ builtInKey }) => builtInKey === "all")
    same("segment of all", all?.count, model.consent.size)
    same("sendable", all?.sendableCount, model.sendable())
    const subscribed = [...model.consent.values()].filter((status) => status === "Subscribed").length
    same("subscribed", value.find(({ builtInKey }) => builtInKey === "subscribed")?.count, subscribed)
  }

  const checkRuns = (rows: Rows) => {
    const active = new Set<string>()
    for (const { contactId, flowId, id, status } of rows.runs) {
      if (status !== "Active") continue
      const key = `${flowId} ${contactId}`
      if (active.has(key)) model.fault(`run ${id} is a second active one of its contact`)
      active.add(key)
    }
  }

  /** Checks that no two runs of a contact and flow overlapped, including ended runs. */
  const checkOverlaps = (rows: Rows) => {
    const byPair = Map.groupBy(rows.runs, ({ contactId, flowId }) => `${flowId} ${contactId}`)
    for (const ofPair of byPair.values()) {
      const inOrder = ofPair.toSorted((a, b) => a.startedAt - b.startedAt)
      for (const [index, { id, startedAt }] of inOrder.entries()) {
        const before = inOrder[index - 1]
        if (before !== undefined && (before.endedAt ?? Infinity) > startedAt)
          model.fault(`run ${id} began before ${before.id} of the same contact had ended`)
      }
    }
  }

  const checkRetention = (rows: Rows, now: number) => {
    const pending = new Set<string>()
    for (const { createdAt, delivery } of rows.deliveries) {
      if (isPending(delivery.status)) pending.add(delivery.submissionId)
      else if (delivery.email !== "" && createdAt < now - retention.recipientDays * dayMillis - slack)
        model.fault(`delivery ${delivery.id} still has its recipient`)
    }
    for (const { contentErasedAt, createdAt, id } of rows.submissions) {
      if (contentErasedAt !== null || pending.has(id)) continue
      // An email that waited to be sent keeps its content until then.
      if (createdAt < now - (retention.contentDays + 7) * dayMillis - slack)
        model.fault(`email ${id} still has its content`)
    }
  }

  let erasedBefore = 0
  /**
   * Checks that no row contains an erased address. Rows are read after each erasure and every six hours; with many people, only
   * every six hours.
   */
  const checkErased = (hour: number) => {
    const isNews = model.erased.size > erasedBefore && model.consent.size < manyPeople
    if (!isNews && hour % 6 !== 0) return
    erasedBefore = model.erased.size
    for (const table of environment.tables()) {
      for (const row of table) {
        for (const address of addressesIn(row)) {
          if (model.erased.has(address)) model.fault(`${address} was erased: ${textOf(row).slice(0, 300)}`)
        }
      }
    }
  }

  const checkWork = (rows: Rows, now: number) => {
    for (const { dueAt, queue } of rows.jobs) {
      if (dueAt <= now) model.fault(`a job of ${queue} is due and was not done`)
    }
    for (const { queue, why } of rows.buried) model.fault(`a job of ${queue} was buried: ${why}`)
    for (const [date, sent] of model.firstTries) {
      if (sent > company.dailySendLimit) model.fault(`${sent} emails left on ${date}`)
    }
  }

  return {
    /** Checks everything after an hour. */
    hourly: async (hour: number) => {
      const now = service.now()
      const rows = rowsOf(environment, account.accountId)
      for (const { id } of rows.runs) started.add(id)
      checkPeople(rows)
      checkRuns(rows)
      checkWork(rows, now)
      checkErased(hour)
      await checkTotals(rows)
      if (hour % 24 === 0) {
        checkRetention(rows, now)
        checkOverlaps(rows)
        await checkSegments()
      }
      return {
        contacts: rows.contacts.length,
        deliveries: rows.deliveries.length,
        runs: started.size,
        active: rows.runs.filter(({ status }) => status === "Active").length,
        orders: rows.orders.length,
        events: rows.events.length,
        pending: rows.deliveries.filter(({ delivery }) => isPending(delivery.status)).length,
        jobs: Map.groupBy(rows.jobs, (job) => job.queue)
      }
    },
    /** A digest of every row, except those of the request log, because durations of calls depend on the machine. */
    stateDigest: () => {
      const digest = createHash("sha256")
      for (const table of environment.tables()) {
        for (const row of table) if (!Object.hasOwn(row, "durationMillis")) digest.update(textOf(row))
      }
      return digest.digest("hex")
    }
  }
}
