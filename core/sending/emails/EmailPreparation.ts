/**
 * Prepares a validated email to be stored: renders its template and computes its digest.
 *
 * @module
 */
import { Context, Effect, Layer } from "effect"
import { Crypto } from "../../ports/Crypto.ts"
import { TemplateStore } from "../../ports/TemplateStore.ts"
import { Problem, type Unavailable } from "../../shared/Problem.ts"
import { checkRendered, type EmailText } from "./EmailContent.ts"
import { canonicalText, type ReadyEmail } from "./EmailDraft.ts"
import type { EmailBody, EmailCommand } from "./EmailRequest.ts"
import { TemplateRenderer } from "../templates/TemplateRenderer.ts"

/** Prepares emails. */
export class EmailPreparation extends Context.Service<
  EmailPreparation,
  {
    /**
     * Prepares an email. Fails with sending.template_not_found, sending.template_render_failed, and the codes of
     * `checkRendered`.
     */
    readonly prepare: (
      accountId: string,
      command: EmailCommand
    ) => Effect.Effect<ReadyEmail, Problem | Unavailable>
  }
>()("svc/sending/EmailPreparation") {
  static readonly layer = Layer.effect(
    EmailPreparation,
    Effect.gen(function* () {
      const crypto = yield* Crypto
      const renderer = yield* TemplateRenderer
      const templates = yield* TemplateStore

      const contentOf = Effect.fnUntraced(function* (accountId: string, body: EmailBody) {
        if (body._tag === "Content") return { subject: body.subject, html: body.html, text: body.text }
        const [template] = yield* templates.find(accountId, [body.id])
        if (template === undefined) return yield* Problem.of("sending.template_not_found", "templateId")
        const [rendered] = yield* renderer.render(accountId, [{ template, variables: body.variables }])
        return yield* Effect.fromResult(checkRendered(yield* Effect.fromResult(rendered!)))
      })

      const readyOf = ({ body, ...command }: EmailCommand, content: EmailText): ReadyEmail => {
        const email = { ...command, content, templateId: body._tag === "Template" ? body.id : null }
        const contentDigest =
          command.idempotencyKey === null ? "" : crypto.sha256Hex(canonicalText(email, crypto.sha256Hex))
        return { ...email, contentDigest, origin: null }
      }

      return EmailPreparation.of({
        prepare: Effect.fn("EmailPreparation.prepare")((accountId: string, command: EmailCommand) =>
          Effect.map(contentOf(accountId, command.body), (content) => readyOf(command, content))
        )
      })
    })
  ).pipe(Layer.provide(TemplateRenderer.layer))
}
