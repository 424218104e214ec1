/**
 * Types of values in the API.
 *
 * @module
 */

/** A contact. */
export interface Contact {
  readonly id: string
  readonly email: string
  readonly firstName: string | null
  readonly city: string | null
  readonly consentStatus: string
  readonly consentSource: string | null
  readonly consentUpdatedAt: string | null
  readonly addedAt: string
  readonly [field: string]: unknown
}

/** The response of POST /contacts. */
export interface ContactWritten {
  readonly contact: Contact
  readonly created: boolean
}

/** The response of POST /sending/emails. */
export interface EmailAccepted {
  readonly id: string
  readonly status: string
  readonly reason: string | null
}

/** One recipient of an email. */
export interface EmailRecipient {
  readonly id: string
  readonly email: string
  readonly name: string | null
  readonly kind: string
  readonly status: string
  readonly reason: string | null
}

/** The response of GET /sending/emails/{id}. */
export interface EmailSubmission extends EmailAccepted {
  readonly recipients: ReadonlyArray<EmailRecipient>
  readonly sendAt: string | null
  readonly templateId: string | null
  readonly metadata: Readonly<Record<string, string>>
  readonly tags: Readonly<Record<string, string>>
}

/** An email in the management API. */
export interface EmailDetail extends EmailSubmission {
  readonly subject: string
  readonly contentErasedAt: string | null
  readonly recipients: ReadonlyArray<
    EmailRecipient & {
      readonly attempts: ReadonlyArray<{ readonly outcome: string }>
      readonly nextAttemptAt: string | null
    }
  >
}

/** A page of a list. */
export interface Page<Item> {
  readonly items: ReadonlyArray<Item>
  readonly page: number
  readonly pageSize: number
  readonly totalCount: number
}

/** A page of a list of the management API. */
export interface ListPage<Item> extends Omit<Page<Item>, "page"> {
  readonly page: number | null
  readonly next: string | null
  readonly totalIsExact: boolean
}

/** An item of the catalogue. */
export interface CatalogueItem {
  readonly id: string
  readonly externalId: string
  readonly name: string
  readonly kind: string
  readonly price: number | null
  readonly updatedAt: string | null
  readonly [field: string]: unknown
}

/** A line of a contact's consent history. */
export interface ConsentEntry {
  readonly from: string | null
  readonly to: string
  readonly basis: string | null
  readonly proof: Readonly<Record<string, string | null>> | null
  readonly source: string
  readonly at: string
}

/** A timestamp of a response: UTC with `Z` and milliseconds. */
export const dateTimePattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

/** A UUIDv7. */
export const idPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
