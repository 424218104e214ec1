/**
 * Defines the work of bulk jobs: parses the actions to apply to many contacts, and formats exported data.
 *
 * @module
 */
import { Result } from "effect"
import { csvLine, isFormula } from "../audience/imports/ImportReport.ts"
import type { ContactQuery } from "../audience/segments/Segments.ts"
import type { ShownRecipient } from "../campaigns/CampaignRecipients.ts"
import type { BulkJob } from "../model/BulkJob.ts"
import type { Contact } from "../model/Contact.ts"
import type { RecipientFilter } from "../ports/CampaignStore.ts"
import type { ContactWrite } from "../model/ContactInput.ts"
import type { FailedRange } from "../ports/SyncStore.ts"
import { hasTopic, type Topic } from "../model/Topic.ts"
import type { Json } from "../shared/Json.ts"
import type { Place } from "../shared/Page.ts"
import { type Code, Issues, type Problem } from "../shared/Problem.ts"
import { checkText, formatDateTime, isStorable, oneOf } from "../shared/Validate.ts"
import { contactJobKinds } from "../model/BulkJob.ts"

/** The most contacts, notifications or events that a call can name by their ids. */
export const maxIds = 1_000
/** The most characters of a tag. */
export const maxTag = 100

/** The formats of an exported file. */
export const exportFormats = ["Csv", "Ndjson"] as const

/** The format of an exported file. */
export type ExportFormat = (typeof exportFormats)[number]

/** The action to apply to each contact. */
export type BulkAction =
  | { readonly kind: "Unsubscribe" }
  | { readonly kind: "SetTopic"; readonly topic: string; readonly on: boolean }
  | { readonly kind: "AddTag" | "RemoveTag"; readonly tag: string }
  | {
      readonly kind: "Export"
      readonly format: ExportFormat
      /** The keys of the contact fields and topics that are columns of the file. */
      readonly fields: ReadonlyArray<string>
      readonly topics: ReadonlyArray<string>
    }
  | { readonly kind: "Erase" }

/** An action as submitted. */
export interface ActionWrite {
  readonly kind: string
  readonly topic?: string
  readonly on?: boolean
  readonly tag?: string
  readonly format?: string
}

/** The contacts of a job: those with the ids, or those that pass the list's filters when the job is created. */
export type BulkTarget = { readonly ids: ReadonlyArray<string> } | { readonly filter: ContactQuery }

/** A job's work on contacts. */
export interface ContactWork {
  readonly action: BulkAction
  readonly target: BulkTarget
}

/** The notifications of a webhook to send again: those with the ids, or the failed ones by their creation. */
export type ResendTarget =
  | { readonly ids: ReadonlyArray<string> }
  /** Epoch milliseconds; `until` is exclusive. */
  | { readonly since: number; readonly until: number }

/** Notifications of a webhook to be sent again. */
export interface ResendWork {
  readonly resend: ResendTarget
  readonly webhookId: string
}

/** Events of a store that were not accepted, to be replayed. */
export interface ReplayWork {
  readonly replay: FailedRange
  readonly storeId: string
}

/** Recipients of a campaign to be exported. */
export interface RecipientsWork {
  readonly recipients: RecipientFilter
  readonly campaignId: string
  readonly format: ExportFormat
}

/** The work of a job, in the form in which it is stored. */
export type BulkWork = ContactWork | RecipientsWork | ReplayWork | ResendWork

/** A processed batch of a job's items. */
export interface BulkBatch {
  /** The outcome of each item: null for success. */
  readonly outcomes: ReadonlyArray<BulkOutcome>
  /** The place at which the batch ends; null for the last batch. */
  readonly next: Place | null
}

/** The outcome of an item. */
export type BulkOutcome = readonly [id: string, failure: Code | null]

/** The work of a job; null once its report has expired. */
export const workOf = ({ work }: BulkJob): BulkWork | null => work as unknown as BulkWork | null

/** Work in the form in which it is stored. */
export const storedWork = (work: BulkWork): Json => work as unknown as Json

/**
 * The stored work of a job that has ended, without its selection. The report does not need the selection, which may name people,
 * such as by an address in a filter.
 */
export const endedWork = (job: BulkJob): Json => {
  const work = workOf(job)
  if (work === null) return null
  if ("action" in work) return storedWork({ ...work, target: { ids: [] } })
  return storedWork("recipients" in work ? { ...work, recipients: {} } : work)
}

/** The account data with which an action is parsed. */
export interface ActionScope {
  readonly topics: ReadonlyArray<Topic>
  /** The keys of the account's contact fields. */
  readonly fields: ReadonlyArray<string>
}

/**
 * Parses an action. Fails with validation.format, validation.required, validation.max_length, topics.not_found and
 * topics.archived, each with its field.
 */
export const parseAction = (
  { format, kind, on, tag, topic }: ActionWrite,
  { fields, topics }: ActionScope
): Result.Result<BulkAction, Problem> => {
  const issues = new Issues()
  const known = contactJobKinds.find((one) => one === kind)
  switch (known) {
    case undefined:
      issues.add("validation.format", "action.kind", null, { expected: oneOf(contactJobKinds) })
      return issues.result({ kind: "Unsubscribe" })
    case "SetTopic": {
      const found = topics.find(({ key }) => key === topic)
      if (topic === undefined) issues.add("validation.required", "action.topic")
      else if (found === undefined) issues.add("topics.not_found", "action.topic", null, { key: topic })
      else if (found.isArchived) issues.add("topics.archived", "action.topic", null, { key: topic })
      if (on === undefined) issues.add("validation.required", "action.on")
      return issues.result({ kind: known, topic: topic ?? "", on: on ?? false })
    }
    case "AddTag":
    case "RemoveTag": {
      const checked = checkText(tag ?? "", "action.tag", maxTag, issues)
      if (checked === "" && isStorable(tag ?? "")) issues.add("validation.required", "action.tag")
      return issues.result({ kind: known, tag: checked })
    }
    case "Export": {
      const chosen = exportFormats.find((one) => one === format)
      if (format === undefined) issues.add("validation.required", "action.format")
      else if (chosen === undefined) {
        issues.add("validation.format", "action.format", null, { expected: oneOf(exportFormats) })
      }
      const columns = { fields, topics: topics.map(({ key }) => key) }
      return issues.result({ kind: known, format: chosen ?? "Csv", ...columns })
    }
    default:
      return Result.succeed({ kind: known })
  }
}

/** The contact write that carries out an action; null for actions that write nothing. */
export const writeOf = (action: BulkAction, { id }: Contact): ContactWrite | null => {
  switch (action.kind) {
    case "Unsubscribe":
      return { id, consent: { basis: "Unsubscribed" } }
    case "SetTopic":
      return { id, topics: { [action.topic]: action.on } }
    case "AddTag":
      return { id, tags: { add: [action.tag], remove: [] } }
    case "RemoveTag":
      return { id, tags: { add: [], remove: [action.tag] } }
    default:
      return null
  }
}

type Export = Extract<BulkAction, { readonly kind: "Export" }>

const time = (at: number | null): string | null => (at === null ? null : formatDateTime(at))

/** The exported values of a contact, with the names that imports accept for the fields that they can import. */
const exportedOf = (contact: Contact, { fields, topics }: Export, known: ReadonlyArray<Topic>) => ({
  id: contact.id,
  externalId: contact.externalId,
  email: contact.email,
  firstName: contact.firstName,
  lastName: contact.lastName,
  phone: contact.phone,
  city: contact.city,
  countryCode: contact.countryCode,
  language: contact.language,
  consentStatus: contact.consentStatus,
  consentSource: contact.consentSource,
  consentUpdatedAt: time(contact.consentUpdatedAt),
  tags: contact.tags ?? [],
  storeId: contact.storeId,
  orderCount: contact.orderCount,
  totalSpent: contact.totalSpent,
  addedAt: time(contact.addedAt),
  lastEmailedAt: time(contact.lastEmailedAt),
  lastOpenAt: time(contact.lastOpenAt),
  lastClickAt: time(contact.lastClickAt),
  lastOrderAt: time(contact.lastOrderAt),
  attributes: Object.fromEntries(
    fields.map((key) => [key, Object.hasOwn(contact.attributes, key) ? contact.attributes[key] : null])
  ),
  topics: Object.fromEntries(
    topics.map((key) => {
      const topic = known.find((one) => one.key === key)
      return [key, topic !== undefined && hasTopic(topic, contact.topics)]
    })
  )
})

/**
 * A cell: list entries are joined by semicolons, and a cell that a spreadsheet would read as a formula begins with an apostrophe.
 */
const cellOf = (value: unknown): string => {
  if (value === null || value === undefined) return ""
  const text = Array.isArray(value) ? value.join("; ") : String(value)
  return isFormula(text) && !/^[+-]?\d[\d ./()-]*$/.test(text) ? `'${text}` : text
}

const flat = ({ attributes, topics, ...plain }: ReturnType<typeof exportedOf>) => [
  ...Object.entries(plain),
  ...Object.entries(attributes).map(([key, value]) => [`attributes.${key}`, value] as const),
  ...Object.entries(topics).map(([key, value]) => [`topics.${key}`, value] as const)
]

/** A contact as a line of an exported file. */
export const exportLine = (contact: Contact, action: Export, known: ReadonlyArray<Topic>): string => {
  const exported = exportedOf(contact, action, known)
  return action.format === "Ndjson"
    ? `${JSON.stringify(exported)}\n`
    : csvLine(flat(exported).map(([, value]) => cellOf(value)))
}

const recipientColumns = [
  "contactId",
  "email",
  "firstName",
  "lastName",
  "state",
  "reason",
  "status",
  "statusReason",
  "variantId",
  "version",
  "dueAt",
  "decidedAt",
  "messageId",
  "openedAt",
  "clickedAt",
  "unsubscribedAt",
  "submittedAt",
  "openedBy",
  "clickedBy",
  "links",
  "conversions",
  "renderError"
] as const

/** A recipient of a campaign as a line of an exported file. */
export const recipientLine = (
  { clickedBy, conversions, delivery, links, openedBy, recipient }: ShownRecipient,
  { email, firstName, lastName }: Contact,
  format: ExportFormat
): string => {
  const exported: Readonly<Record<(typeof recipientColumns)[number], unknown>> = {
    contactId: recipient.contactId,
    email,
    firstName,
    lastName,
    state: recipient.state,
    reason: recipient.reason,
    status: delivery?.status ?? null,
    statusReason: delivery?.reason ?? null,
    variantId: recipient.variant,
    version: recipient.version,
    dueAt: time(recipient.dueAt),
    decidedAt: time(recipient.state === "Pending" ? null : recipient.decidedAt),
    messageId: delivery?.id ?? null,
    openedAt: time(delivery?.openedAt ?? null),
    clickedAt: time(delivery?.clickedAt ?? null),
    unsubscribedAt: time(delivery?.unsubscribedAt ?? null),
    submittedAt: time(recipient.state === "Submitted" ? recipient.decidedAt : null),
    openedBy,
    clickedBy,
    links,
    conversions,
    renderError: recipient.renderError?.code ?? null
  }
  return format === "Ndjson"
    ? `${JSON.stringify(exported)}\n`
    : csvLine(recipientColumns.map((name) => cellOf(exported[name])))
}

/** The first line of a job's report: the columns of an exported file, or those of the list of failures. */
export const reportHead = (work: BulkWork, blank: Contact): string => {
  if ("resend" in work) return csvLine(["notificationId", "code", "message"])
  if ("replay" in work) return csvLine(["eventId", "code", "message"])
  if ("recipients" in work) return work.format === "Ndjson" ? "" : csvLine(recipientColumns)
  const { action } = work
  if (action.kind !== "Export") return csvLine(["contactId", "code", "message"])
  return action.format === "Ndjson" ? "" : csvLine(flat(exportedOf(blank, action, [])).map(([name]) => name))
}
