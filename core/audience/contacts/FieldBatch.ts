/**
 * Applies the attributes in a batch of contact writes, and creates contact fields for unknown keys. Each write sees the fields
 * that earlier writes created.
 *
 * Source: docs/contributing/public-api.md "POST /contacts rules" 4, docs/contributing/decisions.md 3.
 *
 * @module
 */
import type { AttributePatch } from "../../model/ContactInput.ts"
import { type Issue, issue, type Issues } from "../../shared/Problem.ts"
import type { AttributeValue, Contact } from "../../model/Contact.ts"
import { type ContactField, type FieldOrigin, maxFields } from "../../model/ContactField.ts"
import {
  checkValue,
  inferType,
  isSameValue,
  readableKey,
  builtInOf,
  fieldKeyError
} from "../fields/FieldRules.ts"

/** How fields are created for unknown keys. */
export interface FieldCreation {
  readonly accountId: string
  readonly createdFrom: FieldOrigin
  /** Epoch milliseconds. */
  readonly now: number
}

/** The contact fields of an account while a batch is applied. */
export class FieldBatch {
  readonly #fields: Map<string, ContactField>
  readonly #creation: FieldCreation | null
  readonly #created: Array<ContactField> = []

  /**
   * @param fields the account's fields
   * @param creation how fields are created for unknown keys; null if such keys are rejected
   */
  constructor(fields: ReadonlyArray<ContactField>, creation: FieldCreation | null) {
    this.#fields = new Map(fields.map((field) => [field.key, field]))
    this.#creation = creation
  }

  /** The fields added by this batch, in the order of their creation. */
  get created(): ReadonlyArray<ContactField> {
    return this.#created
  }

  /**
   * Applies a patch to attributes, or adds issues. Returns the attributes (the same object if nothing changes) and the fields
   * created for unknown keys, which the caller adds once the write is accepted.
   */
  patch(current: Contact["attributes"], patch: AttributePatch, issues: Issues) {
    const entries = Object.entries(patch)
    if (entries.length === 0) return { attributes: current, created: [] }
    const created: Array<ContactField> = []
    const attributes = new Map(Object.entries(current))
    let changed = false
    for (const [key, value] of entries) {
      const parsed = this.#parse(key, value, created.length)
      if (parsed === null) continue
      if ("code" in parsed) {
        issues.push(parsed)
        continue
      }
      if (parsed.created !== null) created.push(parsed.created)
      const before = attributes.get(key)
      if (parsed.value === null) {
        if (attributes.delete(key)) changed = true
      } else if (before === undefined || !isSameValue(before, parsed.value)) {
        attributes.set(key, parsed.value)
        changed = true
      }
    }
    return { attributes: changed ? Object.fromEntries(attributes) : current, created }
  }

  /** Adds fields that a patch created; later writes of the batch see them. */
  add(created: ReadonlyArray<ContactField>): void {
    for (const field of created) {
      this.#fields.set(field.key, field)
      this.#created.push(field)
    }
  }

  /**
   * Parses one entry of a patch, whose earlier entries created `pending` fields; null if it has no effect. Returns the value
   * (null to remove the attribute) and the field created for the key (null if the key is known).
   */
  #parse(key: string, value: unknown, pending: number) {
    const path = `attributes.${key}`
    const known = this.#fields.get(key)
    if (known === undefined && value === null) return null
    const field = known ?? this.#create(key, value, pending, path)
    if ("code" in field) return field
    if (field.archivedAt !== null) return issue("audience.attribute_archived", path)
    const parsed = value === null ? null : checkValue(field.type, value, path)
    if (isIssue(parsed)) return parsed
    return { value: parsed, created: known === undefined ? field : null }
  }

  /** Creates the field of an unknown key, or returns the issue that prevents it. */
  #create(key: string, value: unknown, pending: number, path: string): ContactField | Issue {
    if (this.#creation === null) {
      const builtIn = builtInOf(key)
      return issue("audience.attribute_unknown", path, null, builtIn === null ? {} : { builtIn })
    }
    const code = fieldKeyError(key)
    if (code !== undefined) return issue(code, path)
    if (this.#fields.size + pending >= maxFields) {
      return issue("audience.attribute_limit_reached", path, { max: maxFields })
    }
    const { accountId, createdFrom, now } = this.#creation
    return {
      accountId,
      key,
      label: readableKey(key),
      type: inferType(value),
      description: null,
      createdFrom,
      createdAt: now,
      archivedAt: null
    }
  }
}

const isIssue = (value: AttributeValue | Issue | null): value is Issue =>
  typeof value === "object" && value !== null && "code" in value
