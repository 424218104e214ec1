/**
 * Handles the management endpoints of templates.
 *
 * @module
 */
import { Effect } from "effect"
import type { TemplateValues } from "../../../core/ports/TemplateEngine.ts"
import type { Template } from "../../../core/model/Template.ts"
import { Templates } from "../../../core/sending/templates/Templates.ts"
import { formatDateTime } from "../../../core/shared/Validate.ts"
import { ManagementApi } from "../schema/ManagementApi.ts"
import { encodeEdited, tagged } from "../edge/precondition.ts"
import { created, ok } from "../edge/reply.ts"
import { listed } from "../edge/lists.ts"
import { bind } from "../edge/Route.ts"

const encodeTemplate = (template: Template) => {
  const { createdAt, html, id, name, subject, text } = template
  return { id, name, subject, html, text, createdAt: formatDateTime(createdAt), ...encodeEdited(template) }
}

/** A reply that shows a template, with its tag. */
const shown = (template: Template) => tagged(ok(encodeTemplate(template)), template)

/** Templates. */
export const templatesRoutes = Effect.gen(function* () {
  const templates = yield* Templates
  return bind(ManagementApi.groups.templates, {
    create: Effect.fnUntraced(function* ({ account, actor, payload }) {
      const template = yield* templates.create(account.id, payload, actor)
      return tagged(created(encodeTemplate(template)), template)
    }),
    list: Effect.fnUntraced(function* ({ account, page }) {
      return ok(listed(page, yield* templates.list(account.id, page), encodeTemplate))
    }),
    get: Effect.fnUntraced(function* ({ account, params }) {
      return shown(yield* templates.get(account.id, params.id))
    }),
    update: Effect.fnUntraced(function* ({ account, actor, params, payload }) {
      return shown(yield* templates.change(account.id, params.id, payload, actor))
    }),
    remove: Effect.fnUntraced(function* ({ account, actor, params }) {
      yield* templates.remove(account.id, params.id, actor)
      return ok(null)
    }),
    render: Effect.fnUntraced(function* ({ account, params, payload }) {
      // A value of a JSON body is JSON.
      const variables = (payload.variables ?? {}) as TemplateValues
      const { html, subject, text } = yield* templates.render(account.id, params.id, variables)
      return ok({ subject, html, text })
    })
  })
})
