/**
 * Implements the TemplateEngine port: Liquid with liquidjs, and MJML with mrml. Work that certainly takes little time is done
 * immediately, and other work in a thread that is ended if it takes too long.
 *
 * @module
 */
import { Clock, Effect, Layer } from "effect"
import { RenderFailed, TemplateEngine, TemplateInvalid } from "../../core/ports/TemplateEngine.ts"
import { type RunEnded, Threads, type ThreadTask } from "../../core/ports/Threads.ts"
import { parsesFast, rendersFast } from "./TemplateCost.ts"
import { check, render, type RenderInput, type TemplateResult, tasks } from "./TemplateTasks.ts"

/** Checks and renders templates. */
export const layer: Layer.Layer<TemplateEngine, never, Threads> = Layer.effect(
  TemplateEngine,
  Effect.map(Threads, (threads) => {
    const inThread = <Input>(task: ThreadTask<Input, TemplateResult>, input: Input) =>
      // Bodies in progress and workers are limited, and with them the waiting templates. So none is rejected because of others.
      threads.run(task, input, { bytes: 0 })

    /** The text of a template that is checked or compiled. A template that exceeds a limit is invalid. */
    const textOf = (
      result: Effect.Effect<TemplateResult, RunEnded>
    ): Effect.Effect<string, TemplateInvalid> =>
      result.pipe(
        Effect.catch(() =>
          Effect.fail(new TemplateInvalid({ message: "too expensive", line: 1, column: 1 }))
        ),
        Effect.flatMap(toEffect),
        Effect.catchTag("RenderFailed", (error) => Effect.die(error))
      )

    return TemplateEngine.of({
      check: (template) =>
        Effect.asVoid(
          textOf(parsesFast(template) ? Effect.sync(() => check(template)) : inThread(tasks.check, template))
        ),
      isFast: rendersFast,
      compileMjml: (mjml) => textOf(inThread(tasks.compile, mjml)),
      render: (template, values, escaping) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) => {
          const input: RenderInput = { template, values, escaping, now }
          if (rendersFast(template, values)) return Effect.suspend(() => toEffect(render(input)))
          return inThread(tasks.render, input).pipe(
            Effect.catch(() =>
              Effect.fail(new RenderFailed({ message: "the render took more than it may" }))
            ),
            Effect.flatMap(toEffect)
          )
        })
    })
  })
)

const toEffect = (result: TemplateResult): Effect.Effect<string, TemplateInvalid | RenderFailed> => {
  switch (result._tag) {
    case "Text":
      return Effect.succeed(result.text)
    case "Invalid":
      return Effect.fail(
        new TemplateInvalid({ message: result.message, line: result.line, column: result.column })
      )
    case "Failed":
      return Effect.fail(new RenderFailed({ message: result.message }))
  }
}
