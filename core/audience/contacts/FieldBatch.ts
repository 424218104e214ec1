/**
 * The contact fields of an account while a batch of writes is applied: each write sees the fields that the ones
 * before it made.
 *
 * Source: public-api "POST /contacts rules" 4, decisions 3.
 *
 * @module
 */
import type { AttributePatch } from "../../model/ContactInput.ts"
import { type Issue, issue } from "../../shared/Problem.ts"
import type { AttributeValue, Contact } from "../../model/Contact.ts"
import { type ContactField, type FieldOrigin, maxFields } from "../../model/ContactField.ts"
import { checkValue, inferType, isSameValue, readableKey, refuseFieldKey } from "../fields/FieldRules.ts"

/** What a patch comes to. */
export interface PatchedAttributes {
  /** The very same object when nothing changes. */
  readonly attributes: Contact["attributes"]
  /** The fields that the patch's unknown keys make. */
  readonly made: ReadonlyArray<ContactField>
}

/** What makes the fields of unknown keys. */
export interface FieldMaker {
  readonly accountId: string
  readonly createdFrom: FieldOrigin
  /** Epoch milliseconds. */
  readonly now: number
}

export class FieldBatch {
  readonly #fields: Map<string, ContactField>
  readonly #maker: FieldMaker | null
  readonly #made: Array<ContactField> = []

  /**
   * @param fields the account's fields
   * @param maker what makes fields of unknown keys; null where those are refused
   */
  constructor(fields: ReadonlyArray<ContactField>, maker: FieldMaker | null) {
    this.#fields = new Map(fields.map((field) => [field.key, field]))
    this.#maker = maker
  }

  /** The fields kept since the batch began, in the order they were made. */
  get made(): ReadonlyArray<ContactField> {
    return this.#made
  }

  /** Applies a patch to attributes, or adds why it is refused to `issues`. The fields it makes are not kept yet. */
  patch(current: Contact["attributes"], patch: AttributePatch, issues: Array<Issue>): PatchedAttributes {
    const entries = Object.entries(patch)
    if (entries.length === 0) return { attributes: current, made: none }
    const made: Array<ContactField> = []
    const attributes = new Map(Object.entries(current))
    let changed = false
    for (const [key, value] of entries) {
      const settled = this.#settle(key, value, made.length)
      if (settled === null) continue
      if ("code" in settled) {
        issues.push(settled)
        continue
      }
      if (settled.made !== null) made.push(settled.made)
      const before = attributes.get(key)
      if (settled.value === null) {
        if (attributes.delete(key)) changed = true
      } else if (before === undefined || !isSameValue(before, settled.value)) {
        attributes.set(key, settled.value)
        changed = true
      }
    }
    return { attributes: changed ? Object.fromEntries(attributes) : current, made }
  }

  /** Keeps fields that a patch made, for the writes that come after it. */
  keep(made: ReadonlyArray<ContactField>): void {
    for (const field of made) {
      this.#fields.set(field.key, field)
      this.#made.push(field)
    }
  }

  /** What one key comes to, after `pending` others of the same write made fields; null where it is ignored. */
  #settle(key: string, value: unknown, pending: number): Settled | Issue | null {
    const path = `attributes.${key}`
    const known = this.#fields.get(key)
    if (known === undefined && value === null) return null
    const field = known ?? this.#make(key, value, pending, path)
    if ("code" in field) return field
    if (field.archivedAt !== null) return issue("audience.attribute_archived", path)
    const kept = value === null ? null : checkValue(field.type, value, path)
    if (isIssue(kept)) return kept
    return { value: kept, made: known === undefined ? field : null }
  }

  /** The field an unknown key makes, or why it makes none. */
  #make(key: string, value: unknown, pending: number, path: string): ContactField | Issue {
    if (this.#maker === null) return issue("audience.attribute_unknown", path)
    const refusal = refuseFieldKey(key)
    if (refusal !== undefined) return issue(refusal, path)
    if (this.#fields.size + pending >= maxFields) {
      return issue("audience.attribute_limit_reached", path, { max: maxFields })
    }
    const { accountId, createdFrom, now } = this.#maker
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

const none: ReadonlyArray<never> = []

/** What one key of a patch comes to: the value to keep, null to remove it, and the field that it made. */
interface Settled {
  readonly value: AttributeValue | null
  readonly made: ContactField | null
}

const isIssue = (value: AttributeValue | Issue | null): value is Issue =>
  typeof value === "object" && value !== null && "code" in value
