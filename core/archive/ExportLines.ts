/**
 * Converts the records of an account to lines of its archive; pure.
 *
 * @module
 */
import type { ConsentEntry } from "../model/Consent.ts"
import type { Contact } from "../model/Contact.ts"
import type { Flow, FlowVersion } from "../model/Flow.ts"
import type { Item } from "../model/Item.ts"
import type { Store } from "../model/Store.ts"
import type { Suppression } from "../model/Suppression.ts"
import type { Template } from "../model/Template.ts"
import type { Webhook } from "../model/Webhook.ts"
import type { ArchiveLine } from "./ArchiveLine.ts"

/** A template. */
export const templateLine = (template: Template): ArchiveLine => {
  const { createdAt, format, html, id, name, preheader, source, subject, text, updatedAt } = template
  return { kind: "template", id, name, subject, format, source, preheader, html, text, createdAt, updatedAt }
}

/** A flow, with its last published version if there is one. */
export const flowLine = (flow: Flow, published: FlowVersion | undefined): ArchiveLine => {
  const { createdAt, definition, id, name, status, updatedAt } = flow
  return {
    kind: "flow",
    id,
    name,
    status,
    ...definition,
    published: published === undefined ? null : { version: published.version, ...published.definition },
    createdAt,
    updatedAt
  }
}

/** A webhook, without its secrets. */
export const webhookLine = (webhook: Webhook): ArchiveLine => {
  const { createdAt, description, events, fields, id, status, stoppedReason, url } = webhook
  return { kind: "webhook", id, url, events, fields, description, status, stoppedReason, createdAt }
}

/** A suppressed address. */
export const suppressionLine = ({ createdAt, email, kind }: Suppression): ArchiveLine => ({
  kind: "suppression",
  email,
  reason: kind,
  createdAt
})

/** The names of stores, by id. */
type StoreNames = ReadonlyMap<string, Pick<Store, "domain" | "platform">>

/** The name of a store in archives. */
export const nameOf = ({ domain, platform }: Store) => ({ platform, domain })

/** A contact with its consent history, oldest first. Stores and topics are named, not referenced by id. */
export const contactLine = (
  contact: Contact,
  history: ReadonlyArray<ConsentEntry>,
  stores: StoreNames,
  topicKeys: ReadonlyMap<string, string>
): ArchiveLine => {
  const {
    addressHash: _hash,
    consentProof,
    consentSource,
    consentStatus,
    consentUpdatedAt,
    email,
    erasedAt: _erased,
    storeId,
    topics,
    version: _version,
    ...rest
  } = contact
  return {
    kind: "contact",
    ...rest,
    email: email ?? "",
    store: storeId === null ? null : (stores.get(storeId) ?? null),
    consent: {
      status: consentStatus,
      source: consentSource,
      updatedAt: consentUpdatedAt,
      proof: consentProof,
      history: history.map(({ contactId: _contact, id: _id, ...entry }) => entry)
    },
    topics: Object.fromEntries(
      Object.entries(topics).flatMap(([id, choice]) => {
        const key = topicKeys.get(id)
        return key === undefined ? [] : [[key, choice]]
      })
    )
  }
}

/** An item of the catalogue. */
export const itemLine = (item: Item, stores: StoreNames): ArchiveLine => {
  const { externalId, id: _id, kind, storeId, version: _version, ...rest } = item
  return {
    ...rest,
    kind: "item",
    itemKind: kind,
    id: externalId,
    store: storeId === null ? null : (stores.get(storeId) ?? null)
  }
}
