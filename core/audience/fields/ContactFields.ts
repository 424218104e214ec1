/**
 * The use cases of contact fields (public-api, Contact fields).
 *
 * @module
 */
import { Clock, Context, Effect, Layer } from "effect"
import { AccountStore } from "../../ports/AccountStore.ts"
import { ContactFieldStore } from "../../ports/ContactFieldStore.ts"
import { Transaction } from "../../ports/Transaction.ts"
import { refuseOn, retryConflicts } from "../../kernel/Conflicts.ts"
import { type Issue, issue, Problem, type Unavailable } from "../../shared/Problem.ts"
import type { Maybe } from "../../shared/Validate.ts"
import {
  type ContactField,
  type FieldOrigin,
  type FieldType,
  fieldTypes,
  maxFields
} from "../../model/ContactField.ts"
import { checkDescription, checkLabel, refuseFieldKey } from "./FieldRules.ts"

/** A field that is asked for. */
export interface NewField {
  readonly key: string
  /** The key made readable where left out. */
  readonly label?: Maybe<string>
  /** Text where left out. */
  readonly type?: Maybe<string>
  readonly description?: Maybe<string>
}

/** What can be changed of a field; what is left out keeps its value. */
export interface FieldPatch {
  /** Null keeps the label, an empty text makes it the key made readable. */
  readonly label?: Maybe<string>
  /** Null or an empty text removes the description. */
  readonly description?: Maybe<string>
  readonly archived?: Maybe<boolean>
}

/** The use cases on contact fields. */
export class ContactFields extends Context.Service<
  ContactFields,
  {
    /**
     * Makes a field. audience.attribute_reserved, audience.attribute_key_invalid, validation.*;
     * audience.attribute_exists; audience.attribute_limit_reached with `maxFields` fields.
     */
    readonly create: (
      accountId: string,
      request: NewField,
      createdFrom: FieldOrigin
    ) => Effect.Effect<ContactField, Problem | Unavailable>
    /** All fields of an account, archived ones included, ordered by key. */
    readonly list: (accountId: string) => Effect.Effect<ReadonlyArray<ContactField>, Unavailable>
    /** Changes a field; answers it as it is now. validation.*; audience.attribute_not_found. */
    readonly update: (
      accountId: string,
      key: string,
      patch: FieldPatch
    ) => Effect.Effect<ContactField, Problem | Unavailable>
  }
>()("svc/audience/ContactFields") {
  static readonly layer = Layer.effect(
    ContactFields,
    Effect.gen(function* () {
      const accounts = yield* AccountStore
      const store = yield* ContactFieldStore
      const transaction = yield* Transaction

      const create = Effect.fn("ContactFields.create")(function* (
        accountId: string,
        request: NewField,
        createdFrom: FieldOrigin
      ) {
        const checked = checkNewField(request)
        if (checked instanceof Problem) return yield* checked
        const createdAt = yield* Clock.currentTimeMillis
        const field: ContactField = { accountId, ...checked, createdFrom, createdAt, archivedAt: null }
        yield* store
          .insert(accountId, [field])
          .pipe(
            refuseOn("contact_fields_key", exists),
            refuseOn("contact_fields_limit", full),
            retryConflicts
          )
        return field
      })

      const update = Effect.fn("ContactFields.update")(function* (
        accountId: string,
        key: string,
        patch: FieldPatch
      ) {
        const now = yield* Clock.currentTimeMillis
        return yield* retryConflicts(
          transaction.run(
            Effect.gen(function* () {
              // So that of two changes at the same moment the second sees the first.
              yield* accounts.lock([accountId])
              const field = (yield* store.list(accountId)).find((one) => one.key === key)
              if (field === undefined) return yield* Problem.of("audience.attribute_not_found", "key")
              const changed = changeField(field, patch, now)
              if (changed instanceof Problem) return yield* changed
              yield* store.save(changed)
              return changed
            })
          )
        )
      })

      return ContactFields.of({ create, list: store.list, update })
    })
  )
}

const exists = () => Problem.of("audience.attribute_exists", "key")
const full = () => Problem.of("audience.attribute_limit_reached", null, { max: maxFields })

const isFieldType = (text: string): text is FieldType => (fieldTypes as ReadonlyArray<string>).includes(text)

const checkNewField = (
  request: NewField
): Pick<ContactField, "key" | "label" | "type" | "description"> | Problem => {
  const issues: Array<Issue> = []
  const key = request.key.trim()
  const refusal = refuseFieldKey(key)
  if (refusal !== undefined) issues.push(issue(refusal, "key"))
  const label = checkLabel(request.label, key, issues)
  const type = request.type?.trim() ?? "Text"
  if (!isFieldType(type)) issues.push(issue("validation.format", "type"))
  const description = checkDescription(request.description, issues)
  return Problem.from(issues) ?? { key, label, type: isFieldType(type) ? type : "Text", description }
}

const changeField = (field: ContactField, patch: FieldPatch, now: number): ContactField | Problem => {
  const issues: Array<Issue> = []
  const label = patch.label == null ? field.label : checkLabel(patch.label, field.key, issues)
  const description =
    patch.description === undefined ? field.description : checkDescription(patch.description, issues)
  const archivedAt =
    patch.archived == null ? field.archivedAt : patch.archived ? (field.archivedAt ?? now) : null
  return Problem.from(issues) ?? { ...field, label, description, archivedAt }
}
