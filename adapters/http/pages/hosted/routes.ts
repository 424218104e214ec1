/**
 * Handles the hosted pages. GET shows a page; only POST changes anything.
 *
 * @module
 */
import { Effect } from "effect"
import { ContactLinks, type LinkPurpose } from "../../../../core/audience/pages/ContactLinks.ts"
import { ContactPages, type PageResult, type PageView } from "../../../../core/audience/pages/ContactPages.ts"
import { PublicArchive } from "../../../../core/campaigns/PublicArchive.ts"
import { WebVersions } from "../../../../core/campaigns/WebVersions.ts"
import { describeDefect } from "../../../../core/shared/Defect.ts"
import { isIpAddress } from "../../../../core/shared/Locale.ts"
import type { Unavailable } from "../../../../core/shared/Problem.ts"
import { HostedApi } from "../../schema/HostedApi.ts"
import { type Form, parseForm, valuesOf } from "../../edge/body.ts"
import { failAfter } from "../../edge/Deadline.ts"
import { type HandlerReply } from "../../edge/reply.ts"
import { bind, type Call } from "../../edge/Route.ts"
import { archiveFeed, archiveList, feedName } from "./archive.ts"
import { archivePage, emailPage, plain, seeOther } from "./layout.ts"
import {
  confirmPage,
  notFoundPage,
  outdatedPage,
  preferencesPage,
  testPage,
  unavailablePage,
  unsubscribePage
} from "./pages.ts"

/** The relative URL of the same page, because a proxy may serve it under another path. */
const samePage = (params: { readonly token: string }): string => encodeURIComponent(params.token)

/** The time limit of a page, in milliseconds. It is less than the limit of the server, whose reply would not be a page. */
const pageMillis = 15_000

/** Returns a page for a person, or the error page while the database is unavailable. */
const readable = <A>(reply: Effect.Effect<A, Unavailable>): Effect.Effect<A | HandlerReply<never>> =>
  Effect.catch(failAfter(pageMillis, reply), ({ cause }) =>
    Effect.as(Effect.logWarning("database unavailable", describeDefect(cause)), unavailablePage)
  )

/** The choices of a form: each topic that it showed is on or off. */
const choicesOf = (form: Form): Readonly<Record<string, boolean>> => {
  const on = new Set(valuesOf(form, "on"))
  return Object.fromEntries(valuesOf(form, "shown").map((id) => [id, on.has(id)]))
}

/** The hosted pages. */
export const hostedRoutes = Effect.map(
  Effect.all([ContactPages, ContactLinks, WebVersions, PublicArchive]),
  ([pages, links, webVersions, archive]) => {
    const show = (
      purpose: LinkPurpose,
      params: { readonly token: string },
      render: (view: PageView) => HandlerReply<never>
    ) =>
      readable(
        Effect.map(pages.view(purpose, params.token), (view) => {
          if (view === null) return notFoundPage
          if (view === "Test") return testPage
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
            case "Test":
              return testPage
            case "Outdated":
              return outdatedPage
            // Shows the page again with the new wording.
            case "Reworded":
              return seeOther(samePage(params))
          }
        })
      )

    /** Processes a form. The form is read only if the link is valid. */
    const submit = Effect.fnUntraced(function* (
      purpose: LinkPurpose,
      { body, params }: Pick<Call, "body"> & { readonly params: { readonly token: string } },
      onForm: (form: Form) => Effect.Effect<HandlerReply<never>>
    ) {
      const link = links.read(purpose, params.token)
      const refusal = yield* readable(Effect.map(link, (found) => (found === null ? notFoundPage : null)))
      return refusal ?? (yield* onForm(parseForm(yield* body())))
    })

    return bind(HostedApi.groups.hosted, {
      showConfirm: ({ params }) => show("confirm", params, confirmPage),
      confirm: (call) =>
        submit("confirm", call, (form) =>
          act(
            pages.confirm(call.params.token, {
              shownText: valuesOf(form, "text")[0] ?? null,
              ipAddress: isIpAddress(call.origin.address) ? call.origin.address : null
            }),
            call.params
          )
        ),
      showPreferences: ({ params, query }) =>
        show("preferences", params, (view) => preferencesPage(view, query.saved !== null)),
      changePreferences: (call) =>
        submit("preferences", call, (form) => {
          const { params } = call
          return valuesOf(form, "action").includes("unsubscribe")
            ? act(pages.unsubscribe("preferences", params.token), params)
            : act(
                pages.choose(params.token, choicesOf(form)),
                params,
                seeOther(`${samePage(params)}?saved=1`)
              )
        }),
      showWebVersion: ({ params }) =>
        readable(
          Effect.map(webVersions.view(params.token), (view) => {
            if (view === null) return notFoundPage
            return "isTest" in view ? testPage : emailPage(view.document)
          })
        ),
      showArchive: ({ header, params, query }) => {
        const page = query.p === null ? 1 : Number(/^[1-9]\d{0,5}$/.exec(query.p)?.[0] ?? Number.NaN)
        if (Number.isNaN(page)) return Effect.succeed(notFoundPage)
        return readable(
          Effect.map(archive.list(params.key, page), (view) =>
            view === null ? notFoundPage : archivePage(archiveList(view), header("if-none-match"))
          )
        )
      },
      showArchived: ({ header, params: { key, slug } }) =>
        readable(
          slug === feedName
            ? Effect.map(archive.list(key, 1), (view) =>
                view === null
                  ? notFoundPage
                  : archivePage(
                      archiveFeed(view),
                      header("if-none-match"),
                      "application/rss+xml; charset=utf-8"
                    )
              )
            : Effect.map(archive.show(key, slug), (document) =>
                document === null ? notFoundPage : archivePage(document, header("if-none-match"))
              )
        ),
      showUnsubscribe: ({ params }) => show("unsubscribe", params, unsubscribePage),
      // Mail clients do not follow redirects of a one-click POST (RFC 8058, 3.1), and may send it as multipart.
      unsubscribe: (call) =>
        submit("unsubscribe", call, (form) =>
          act(
            pages.unsubscribe("unsubscribe", call.params.token),
            call.params,
            valuesOf(form, "from").includes("page")
              ? seeOther(samePage(call.params))
              : plain(200, "You are unsubscribed.\n")
          )
        )
    })
  }
)
