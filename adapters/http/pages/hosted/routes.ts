/**
 * Handles the hosted pages. GET shows a page; only POST changes anything.
 *
 * @module
 */
import { Effect } from "effect"
import type { LinkPurpose } from "../../../../core/audience/pages/ContactLinks.ts"
import { ContactPages, type PageResult, type PageView } from "../../../../core/audience/pages/ContactPages.ts"
import { describeDefect } from "../../../../core/shared/Defect.ts"
import { isIpAddress } from "../../../../core/shared/Locale.ts"
import type { Problem, Unavailable } from "../../../../core/shared/Problem.ts"
import { HostedApi } from "../../schema/HostedApi.ts"
import { type Form, valuesOf } from "../../edge/body.ts"
import { type HandlerReply } from "../../edge/reply.ts"
import { bind } from "../../edge/Route.ts"
import { plain, seeOther } from "./layout.ts"
import {
  confirmPage,
  notFoundPage,
  outdatedPage,
  preferencesPage,
  unavailablePage,
  unsubscribePage
} from "./pages.ts"

/** The page's own relative URL, since a proxy may serve it under another path. */
const samePage = (params: { readonly token: string }): string => encodeURIComponent(params.token)

/** Shows a page to a person while the database is unavailable. */
const readable = (
  reply: Effect.Effect<HandlerReply<never>, Unavailable>
): Effect.Effect<HandlerReply<never>, Problem> =>
  Effect.catch(reply, ({ cause }) =>
    Effect.as(Effect.logWarning("database unavailable", describeDefect(cause)), unavailablePage)
  )

/** The choices of a form: every topic it showed is on or off. */
const choicesOf = (form: Form): Readonly<Record<string, boolean>> => {
  const on = new Set(valuesOf(form, "on"))
  return Object.fromEntries(valuesOf(form, "shown").map((id) => [id, on.has(id)]))
}

/** The hosted pages. */
export const hostedRoutes = Effect.map(ContactPages, (pages) => {
  const show = (
    purpose: LinkPurpose,
    params: { readonly token: string },
    render: (view: PageView) => HandlerReply<never>
  ) =>
    readable(
      Effect.map(pages.view(purpose, params.token), (view) => {
        if (view === null) return notFoundPage
        return view === "Outdated" ? outdatedPage : render(view)
      })
    )
  const act = (
    result: Effect.Effect<PageResult, Unavailable>,
    params: { readonly token: string },
    reply: HandlerReply<never> = seeOther(samePage(params))
  ) =>
    readable(
      Effect.map(result, (done) => {
        switch (done) {
          case "Done":
            return reply
          case "Invalid":
            return notFoundPage
          case "Outdated":
            return outdatedPage
          // The page shows the new words.
          case "Reworded":
            return seeOther(samePage(params))
        }
      })
    )

  return bind(HostedApi.groups.hosted, {
    showConfirm: ({ params }) => show("confirm", params, confirmPage),
    confirm: ({ origin, params, payload }) =>
      act(
        pages.confirm(params.token, {
          shownText: valuesOf(payload, "text")[0] ?? null,
          ipAddress: isIpAddress(origin.address) ? origin.address : null
        }),
        params
      ),
    showPreferences: ({ params, query }) =>
      show("preferences", params, (view) => preferencesPage(view, query.saved !== null)),
    changePreferences: ({ params, payload }) => {
      const { token } = params
      return valuesOf(payload, "action").includes("unsubscribe")
        ? act(pages.unsubscribe("preferences", token), params)
        : act(pages.choose(token, choicesOf(payload)), params, seeOther(`${samePage(params)}?saved=1`))
    },
    showUnsubscribe: ({ params }) => show("unsubscribe", params, unsubscribePage),
    // Mail clients do not follow redirects of a one-click POST (RFC 8058, 3.1), and may send it as multipart.
    unsubscribe: ({ params, payload }) =>
      act(
        pages.unsubscribe("unsubscribe", params.token),
        params,
        valuesOf(payload, "from").includes("page")
          ? seeOther(samePage(params))
          : plain(200, "You are unsubscribed.\n")
      )
  })
})
