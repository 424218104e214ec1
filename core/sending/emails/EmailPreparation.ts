/**
 * Gets an email ready to be stored: its template rendered, its digest taken.
 *
 * @module
 */
import { Effect } from "effect"
import { Crypto } from "../../ports/Crypto.ts"
import { TemplateStore } from "../../ports/TemplateStore.ts"
import { Problem, type Unavailable } from "../../shared/Problem.ts"
import { checkRendered, type EmailText } from "./EmailContent.ts"
import { canonicalText, type ReadyEmail } from "./EmailDraft.ts"
import type { EmailBody, EmailCommand } from "./EmailRequest.ts"
import { makeTemplateRenderer } from "../templates/RenderTemplate.ts"

/** A function that gets a command ready; sending.template_not_found, sending.template_render_failed, rules of content. */
export const makePreparation = Effect.gen(function* () {
  const crypto = yield* Crypto
  const render = yield* makeTemplateRenderer
  const templates = yield* TemplateStore

  const contentOf = Effect.fnUntraced(function* (accountId: string, body: EmailBody) {
    if (body._tag === "Content") return { subject: body.subject, html: body.html, text: body.text }
    const [template] = yield* templates.find(accountId, [body.id])
    if (template === undefined) return yield* Problem.of("sending.template_not_found", "templateId")
    const [rendered] = yield* render(accountId, [{ template, variables: body.variables }])
    const content: EmailText | Problem = checkRendered(yield* Effect.fromResult(rendered!))
    return content instanceof Problem ? yield* content : content
  })

  const ready = ({ body, ...command }: EmailCommand, content: EmailText): ReadyEmail => {
    const email = { ...command, content, templateId: body._tag === "Template" ? body.id : null }
    const contentDigest =
      command.idempotencyKey === null ? "" : crypto.sha256Hex(canonicalText(email, crypto.sha256Hex))
    return { ...email, contentDigest, origin: null }
  }

  return (accountId: string, command: EmailCommand): Effect.Effect<ReadyEmail, Problem | Unavailable> =>
    Effect.map(contentOf(accountId, command.body), (content) => ready(command, content))
})
