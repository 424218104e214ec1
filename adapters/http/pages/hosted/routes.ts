/**
 * Handlers of the hosted pages. GET shows; only POST acts.
 *
 * @module
 */
import { Effect } from "effect"
import type { LinkPurpose } from "../../../../core/audience/pages/ContactLinks.ts"
import { ContactPages, type PageView } from "../../../../core/audience/pages/ContactPages.ts"
import { describeDefect } from "../../../../core/shared/Defect.ts"
import type { Problem, Unavailable } from "../../../../core/shared/Problem.ts"
import { HostedApi } from "../../schema/HostedApi.ts"
import { type Form, valuesOf } from "../../edge/Form.ts"
import { textOf } from "../../edge/Query.ts"
import { type Answer, bind } from "../../edge/Route.ts"
import { plain, seeOther } from "./layout.ts"
import { confirmPage, notFoundPage, preferencesPage, unavailablePage, unsubscribePage } from "./pages.ts"

type Params = Readonly<Record<string, string | undefined>>

const tokenOf = (params: Params): string => params["token"] ?? ""

/** The page itself, relative to its address: a proxy may have it under a path of its own. */
const samePage = (params: Params): string => encodeURIComponent(tokenOf(params))

/** A person is told in words that the service cannot answer. */
const readable = (answer: Effect.Effect<Answer<never>, Unavailable>): Effect.Effect<Answer<never>, Problem> =>
  Effect.catch(answer, ({ cause }) =>
    Effect.as(Effect.logWarning("store unavailable", describeDefect(cause)), unavailablePage)
  )

/** What a form chose: every topic it showed is on or off. */
const choicesOf = (form: Form): Readonly<Record<string, boolean>> => {
  const on = new Set(valuesOf(form, "on"))
  return Object.fromEntries(valuesOf(form, "shown").map((id) => [id, on.has(id)]))
}

/** The hosted pages. */
export const hostedRoutes = Effect.map(ContactPages, (pages) => {
  const show = (purpose: LinkPurpose, params: Params, render: (view: PageView) => Answer<never>) =>
    readable(
      Effect.map(pages.view(purpose, tokenOf(params)), (view) =>
        view === null ? notFoundPage : render(view)
      )
    )
  const act = (done: Effect.Effect<boolean, Unavailable>, answer: Answer<never>) =>
    readable(Effect.map(done, (valid) => (valid ? answer : notFoundPage)))

  return bind(HostedApi.groups.hosted, {
    showConfirm: ({ params }) => show("confirm", params, confirmPage),
    confirm: ({ params }) => act(pages.confirm(tokenOf(params)), seeOther(samePage(params))),
    showPreferences: ({ params, query }) =>
      show("preferences", params, (view) => preferencesPage(view, textOf(query, "saved") !== null)),
    changePreferences: ({ params, payload }) => {
      const token = tokenOf(params)
      const path = samePage(params)
      return valuesOf(payload, "action").includes("unsubscribe")
        ? act(pages.unsubscribe("preferences", token), seeOther(path))
        : act(pages.choose(token, choicesOf(payload)), seeOther(`${path}?saved=1`))
    },
    showUnsubscribe: ({ params }) => show("unsubscribe", params, unsubscribePage),
    // Mail clients do not follow redirects of a one-click POST (RFC 8058, 3.1), and may send it as multipart.
    unsubscribe: ({ params, payload }) =>
      act(
        pages.unsubscribe("unsubscribe", tokenOf(params)),
        valuesOf(payload, "from").includes("page")
          ? seeOther(samePage(params))
          : plain(200, "You are unsubscribed.\n")
      )
  })
})
