/**
 * Renders the contents of SendEmail steps, from a template or from the step's own subject and bodies.
 *
 * @module
 */
import { Cache, Context, Duration, Effect, Exit, Layer, Result } from "effect"
import { contactValues } from "../../audience/contacts/ContactValues.ts"
import { ownTextsFinder } from "../../audience/pages/OwnPageTexts.ts"
import type { Contact } from "../../model/Contact.ts"
import type { SendEmailStep } from "../../model/FlowDefinition.ts"
import type { RunEvent } from "../../model/Run.ts"
import type { Template } from "../../model/Template.ts"
import { TemplateEngine, type TemplateValues } from "../../ports/TemplateEngine.ts"
import { TemplateStore } from "../../ports/TemplateStore.ts"
import { RunOwner } from "../../ports/Threads.ts"
import { checkRendered } from "../../sending/emails/EmailContent.ts"
import { type Render, TemplateRenderer } from "../../sending/templates/TemplateRenderer.ts"
import { isMjml } from "../../sending/templates/TemplateRules.ts"
import { type EmailLinks, withUnsubscribeLink } from "../../sending/templates/UnsubscribeLink.ts"
import { withNumberTexts } from "../../shared/Json.ts"
import { Problem } from "../../shared/Problem.ts"

/** The variables of an email's template. */
const valuesOf = ({ contact, event, links }: StepRender): TemplateValues => ({
  contact: contactValues(contact),
  event: withNumberTexts(event.properties),
  unsubscribeUrl: links.unsubscribe,
  preferencesUrl: links.preferences
})

/** A step to render for a contact, with the event that started the run. */
export interface StepRender {
  readonly step: SendEmailStep
  readonly contact: Contact
  readonly event: RunEvent
  readonly links: EmailLinks
}

/** The most MJML bodies of steps whose compiled HTML is cached. */
const capacity = 200

/** How long it is cached that a body does not compile, which can take seconds to find out. */
const failureKept = Duration.minutes(10)

/** Renders steps. */
export class StepContents extends Context.Service<StepContents>()("svc/automation/StepContents", {
  make: Effect.gen(function* () {
    const engine = yield* TemplateEngine
    const findTexts = yield* ownTextsFinder
    const templates = yield* TemplateStore
    const { render } = yield* TemplateRenderer
    const compiled = yield* Cache.makeWith(engine.compileMjml, {
      capacity,
      timeToLive: (exit) => (Exit.isSuccess(exit) ? Duration.infinity : failureKept)
    })

    const compile = (html: string | null): Effect.Effect<string | null, Problem> =>
      html === null || !isMjml(html)
        ? Effect.succeed(html)
        : Effect.mapError(Cache.get(compiled, html), () => Problem.of("sending.template_invalid"))

    const sourceOf = (
      step: SendEmailStep,
      stored: ReadonlyMap<string, Template>
    ): Effect.Effect<Render["template"] & { readonly version: number | null }, Problem> => {
      if (step.templateId === null) {
        return Effect.map(compile(step.html), (compiledHtml) => ({
          subject: step.subject ?? "",
          preheader: null,
          compiledHtml,
          text: step.text,
          version: null
        }))
      }
      const template = stored.get(step.templateId)
      return template === undefined
        ? Effect.fail(Problem.of("sending.template_not_found"))
        : Effect.succeed(template)
    }

    return {
      /**
       * Renders steps of an account, each independently. Returns the results in the same order, with the version of the template
       * (null without one). Problems: sending.template_not_found, sending.template_invalid, sending.template_render_failed, and
       * the codes of email content. A fixed number of reads for all.
       */
      render: Effect.fn("StepContents.render")(function* (
        accountId: string,
        renders: ReadonlyArray<StepRender>
      ) {
        const templateIds = [...new Set(renders.flatMap(({ step }) => step.templateId ?? []))]
        const found = yield* templates.find(accountId, templateIds)
        const stored = new Map(found.map((template) => [template.id, template]))
        const sources = yield* Effect.forEach(renders, ({ step }) =>
          Effect.result(sourceOf(step, stored))
        ).pipe(Effect.provideService(RunOwner, accountId))
        const renderable = sources.flatMap((source, index) =>
          Result.isSuccess(source) ? [{ template: source.success, variables: valuesOf(renders[index]!) }] : []
        )
        const rendered = (yield* render(accountId, renderable)).values()
        const isMarketing = renders.some(({ step }) => step.purpose === "Marketing")
        const own = isMarketing ? yield* findTexts(accountId) : {}
        return sources.map((source, index) => {
          const { contact, links, step } = renders[index]!
          return Result.flatMap(source, ({ version }) =>
            Result.map(Result.flatMap(rendered.next().value!, checkRendered), (valid) => ({
              content:
                step.purpose === "Marketing"
                  ? withUnsubscribeLink(valid, links, contact.language, own)
                  : valid,
              templateVersion: version
            }))
          )
        })
      })
    }
  })
}) {
  static readonly layer = Layer.effect(StepContents, StepContents.make)
}
