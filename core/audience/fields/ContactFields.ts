/**
 * The use cases of contact fields (docs/contributing/public-api.md "Contact fields").
 *
 * @module
 */
import { Clock, Context, Effect, Layer } from "effect"
import type { Actor } from "../../model/Actor.ts"
import { AuditTrail } from "../../accounts/AuditTrail.ts"
import { AccountStore } from "../../ports/AccountStore.ts"
import { ContactFieldStore } from "../../ports/ContactFieldStore.ts"
import { Atomically } from "../../kernel/atomically.ts"
import { refuseOn } from "../../kernel/Conflicts.ts"
import type { Json } from "../../shared/Json.ts"
import { Issues, Problem, type Unavailable, valueDetail } from "../../shared/Problem.ts"
import { type Maybe, oneOf } from "../../shared/Validate.ts"
import {
  type ContactField,
  type FieldOrigin,
  type FieldType,
  fieldTypes,
  maxFields
} from "../../model/ContactField.ts"
import { parseDescription, parseLabel, fieldKeyError } from "./FieldRules.ts"

/** A request to create a field. */
export interface NewField {
  readonly key: string
  /** By default, the key in readable form. */
  readonly label?: Maybe<string>
  /** By default, Text. */
  readonly type?: Maybe<string>
  readonly description?: Maybe<string>
}

/** A change of a field; absent values stay unchanged. */
export interface FieldPatch {
  /** Null keeps the label; an empty string resets it to the key in readable form. */
  readonly label?: Maybe<string>
  /** Null or an empty string removes the description. */
  readonly description?: Maybe<string>
  readonly archived?: Maybe<boolean>
}

/** The use cases of contact fields. */
export class ContactFields extends Context.Service<
  ContactFields,
  {
    /**
     * Creates a field. audience.attribute_reserved, audience.attribute_key_invalid, validation.*;
     * audience.attribute_exists; audience.attribute_limit_reached if the account has `maxFields` fields.
     */
    readonly create: (
      accountId: string,
      request: NewField,
      createdFrom: FieldOrigin,
      actor: Actor
    ) => Effect.Effect<ContactField, Problem | Unavailable>
    /** All fields of an account, including archived ones, ordered by key. */
    readonly list: (accountId: string) => Effect.Effect<ReadonlyArray<ContactField>, Unavailable>
    /** Changes a field and returns it. validation.*; audience.attribute_not_found. */
    readonly update: (
      accountId: string,
      key: string,
      patch: FieldPatch,
      actor: Actor
    ) => Effect.Effect<ContactField, Problem | Unavailable>
  }
>()("svc/audience/ContactFields") {
  static readonly layer = Layer.effect(
    ContactFields,
    Effect.gen(function* () {
      const accounts = yield* AccountStore
      const store = yield* ContactFieldStore
      const atomically = yield* Atomically
      const { record } = yield* AuditTrail

      return ContactFields.of({
        create: Effect.fn("ContactFields.create")(function* (accountId, request, createdFrom, actor) {
          const parsed = yield* Effect.fromResult(parseNewField(request))
          const createdAt = yield* Clock.currentTimeMillis
          const field: ContactField = { accountId, ...parsed, createdFrom, createdAt, archivedAt: null }
          yield* atomically(
            Effect.andThen(
              store.insert(accountId, [field]).pipe(
                refuseOn("contact_fields_key", () => exists(parsed.key)),
                refuseOn("contact_fields_limit", full)
              ),
              record(actor, {
                accountId,
                action: "contact_field.created",
                target: field.key,
                before: null,
                after: summaryOf(field)
              })
            )
          )
          return field
        }),
        list: store.list,
        update: Effect.fn("ContactFields.update")(function* (accountId, key, patch, actor) {
          const now = yield* Clock.currentTimeMillis
          // Of two concurrent changes, the second must see the first.
          yield* accounts.lock([accountId])
          const field = (yield* store.list(accountId)).find((one) => one.key === key)
          if (field === undefined) return yield* Problem.of("audience.attribute_not_found", "key")
          const changed = yield* Effect.fromResult(changeField(field, patch, now))
          yield* store.save(changed)
          yield* record(actor, {
            accountId,
            action: "contact_field.changed",
            target: key,
            before: summaryOf(field),
            after: summaryOf(changed)
          })
          return changed
        }, atomically)
      })
    })
  )
}

/** A field as the audit log shows it. */
const summaryOf = ({ archivedAt, description, label, type }: ContactField): Json => ({
  name: label,
  type,
  description,
  isArchived: archivedAt !== null
})

const exists = (key: string) => Problem.of("audience.attribute_exists", "key", null, { value: key })
const full = () => Problem.of("audience.attribute_limit_reached", null, { max: maxFields })

const isFieldType = (type: string): type is FieldType => (fieldTypes as ReadonlyArray<string>).includes(type)

const parseNewField = (request: NewField) => {
  const issues = new Issues()
  const key = request.key.trim()
  const code = fieldKeyError(key)
  if (code !== undefined) issues.add(code, "key", null, valueDetail(key))
  const label = parseLabel(request.label, key, issues)
  const type = request.type?.trim() ?? "Text"
  if (!isFieldType(type)) issues.add("validation.format", "type", null, { expected: oneOf(fieldTypes) })
  const description = parseDescription(request.description, issues)
  return issues.result({ key, label, type: isFieldType(type) ? type : "Text", description })
}

const changeField = (field: ContactField, patch: FieldPatch, now: number) => {
  const issues = new Issues()
  const label = patch.label == null ? field.label : parseLabel(patch.label, field.key, issues)
  const description =
    patch.description === undefined ? field.description : parseDescription(patch.description, issues)
  const archivedAt =
    patch.archived == null ? field.archivedAt : patch.archived ? (field.archivedAt ?? now) : null
  return issues.result({ ...field, label, description, archivedAt })
}
