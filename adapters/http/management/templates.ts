/**
 * The operator's handlers of templates.
 *
 * @module
 */
import { Effect } from "effect"
import { managementActor } from "../../../core/accounts/AuditTrail.ts"
import type { TemplateValues } from "../../../core/ports/TemplateEngine.ts"
import type { Template } from "../../../core/model/Template.ts"
import { Templates } from "../../../core/sending/templates/Templates.ts"
import { mapPage } from "../../../core/shared/Page.ts"
import { formatDateTime } from "../../../core/shared/Validate.ts"
import { ManagementApi } from "../schema/ManagementApi.ts"
import { pageOfQuery } from "../edge/Query.ts"
import { bind, created, ok } from "../edge/Route.ts"
import { asEffect, makeAccountGate, type Params } from "./requireAccount.ts"

const encodeTemplate = ({ createdAt, html, id, name, subject, text, updatedAt }: Template) => ({
  id,
  name,
  subject,
  html,
  text,
  createdAt: formatDateTime(createdAt),
  updatedAt: formatDateTime(updatedAt)
})

const idOf = (params: Params): string => (params["id"] ?? "").toLowerCase()

/** Templates. */
export const templatesRoutes = Effect.gen(function* () {
  const templates = yield* Templates
  const gate = yield* makeAccountGate
  return bind(ManagementApi.groups.templates, {
    create: Effect.fnUntraced(function* ({ params, payload }) {
      const { id } = yield* gate(params)
      return created(encodeTemplate(yield* templates.create(id, payload, managementActor)))
    }),
    list: Effect.fnUntraced(function* ({ params, query }) {
      const { id } = yield* gate(params)
      return ok(mapPage(yield* templates.list(id, yield* asEffect(pageOfQuery(query))), encodeTemplate))
    }),
    get: Effect.fnUntraced(function* ({ params }) {
      const { id } = yield* gate(params)
      return ok(encodeTemplate(yield* templates.get(id, idOf(params))))
    }),
    update: Effect.fnUntraced(function* ({ params, payload }) {
      const { id } = yield* gate(params)
      return ok(encodeTemplate(yield* templates.change(id, idOf(params), payload, managementActor)))
    }),
    remove: Effect.fnUntraced(function* ({ params }) {
      const { id } = yield* gate(params)
      yield* templates.remove(id, idOf(params), managementActor)
      return ok(null)
    }),
    render: Effect.fnUntraced(function* ({ params, payload }) {
      const { id } = yield* gate(params)
      // A value of a JSON body is JSON.
      const variables = (payload.variables ?? {}) as TemplateValues
      const { html, subject, text } = yield* templates.render(id, idOf(params), variables)
      return ok({ subject, html, text })
    })
  })
})
