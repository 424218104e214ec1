/**
 * Handles the contact fields endpoints.
 *
 * @module
 */
import { Effect } from "effect"
import type { ContactField } from "../../../core/model/ContactField.ts"
import { ContactFields } from "../../../core/audience/fields/ContactFields.ts"
import { formatDateTime } from "../../../core/shared/Validate.ts"
import { PublicApi } from "../schema/PublicApi.ts"
import { dateTimeOrNull } from "../edge/Encode.ts"
import { created, ok } from "../edge/reply.ts"
import { bind } from "../edge/Route.ts"

/** A contact field, as the API returns it. */
export const encodeField = (field: ContactField) => ({
  key: field.key,
  label: field.label,
  type: field.type,
  description: field.description,
  createdFrom: field.createdFrom,
  createdAt: formatDateTime(field.createdAt),
  archivedAt: dateTimeOrNull(field.archivedAt)
})

/** The contact fields routes. */
export const contactFieldsRoutes = Effect.map(ContactFields, (fields) =>
  bind(PublicApi.groups.contactFields, {
    create: ({ actor, caller, payload }) =>
      Effect.map(fields.create(caller.accountId, payload, "Api", actor), (field) =>
        created(encodeField(field))
      ),
    list: ({ caller }) => Effect.map(fields.list(caller.accountId), (list) => ok(list.map(encodeField))),
    update: ({ actor, caller, params, payload }) =>
      Effect.map(fields.update(caller.accountId, params.key, payload, actor), (field) =>
        ok(encodeField(field))
      )
  })
)
