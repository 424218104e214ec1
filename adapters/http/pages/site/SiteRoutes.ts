/**
 * Handles the page at the base URL and the documentation site. It reads the files at the first request, renders each page at
 * its first request, and keeps both until shutdown.
 *
 * @module
 */
import { Effect, type FileSystem, type Path } from "effect"
import { describeDefect } from "../../../../core/shared/Defect.ts"
import { Problem } from "../../../../core/shared/Problem.ts"
import { DocsApi } from "../../schema/DocsApi.ts"
import { type HandlerReply } from "../../edge/reply.ts"
import { bind, type Call } from "../../edge/Route.ts"
import { bareHeaders, pageHeaders, viewerHeaders } from "./SiteLayout.ts"
import { referencePage } from "./SiteContents.ts"
import { frontPage, wantsHtml } from "./SiteFront.ts"
import { icon, iconHeaders } from "./SiteIcon.ts"
import { makeSite, type Site } from "./Site.ts"
import { makeFiles } from "./SiteReply.ts"
import { searchIndex, searchIndexFile } from "./SiteSearch.ts"
import { type Asset, readSources } from "./SiteSources.ts"

const markdownHeaders = {
  "content-type": "text/markdown; charset=utf-8",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer"
}

const textHeaders = { ...markdownHeaders, "content-type": "text/plain; charset=utf-8" }

const missing = Problem.of("common.not_found")

/** The site. If an installation lacks its files, it is null and a warning is logged. */
const load = Effect.map(readSources, makeSite).pipe(
  Effect.catch((cause) =>
    Effect.as(
      Effect.annotateLogs(Effect.logWarning("the documentation cannot be shown"), describeDefect(cause)),
      null
    )
  )
)

/** The pages of the service itself. */
export const docsRoutes = Effect.gen(function* () {
  const { asset, file } = makeFiles()
  const loaded = yield* Effect.cached(
    Effect.provideContext(load, yield* Effect.context<FileSystem.FileSystem | Path.Path>())
  )
  const site = Effect.flatMap(loaded, (found) => (found === null ? missing : Effect.succeed(found)))
  const index = yield* Effect.cached(Effect.flatMap(site, (found) => searchIndex(found.searchable())))
  const fileOf = (name: string): Effect.Effect<Asset, Problem> =>
    Effect.flatMap(site, (found) => {
      const wanted = found.asset(name)
      return wanted === null ? missing : Effect.succeed(wanted)
    })
  const notFound = (found: Site): HandlerReply<never> => ({
    _tag: "Reply",
    status: 404,
    headers: pageHeaders,
    body: found.notFound()
  })
  const show = ({ header }: Pick<Call, "header">, found: Site, name: string): HandlerReply<never> => {
    if (name.endsWith(".md")) {
      const markdown = found.markdown(name.slice(0, -3), "under")
      return markdown === null ? notFound(found) : file(header, markdown, markdownHeaders)
    }
    const page = found.html(name, "under")
    return page === null
      ? notFound(found)
      : file(header, page, name === referencePage ? viewerHeaders : pageHeaders)
  }

  const showIcon = ({ header }: Pick<Call, "header">) => Effect.succeed(file(header, icon, iconHeaders))

  return bind(DocsApi.groups.docs, {
    // Programs that call the base URL by mistake get the reply of an unknown path.
    front: ({ header }) =>
      wantsHtml(header("accept"))
        ? Effect.succeed(file(header, frontPage, { ...bareHeaders, vary: "accept" }))
        : missing,
    icon: showIcon,
    iconByDefault: showIcon,
    index: ({ header }) => Effect.map(site, (found) => file(header, found.index("html"), pageHeaders)),
    indexWithSlash: () =>
      Effect.succeed({ _tag: "Reply", status: 308, headers: { location: "../docs" }, body: "" }),
    indexMarkdown: ({ header }) =>
      Effect.map(site, (found) => file(header, found.index("markdown"), markdownHeaders)),
    page: (call) => Effect.map(site, (found) => show(call, found, call.params.page)),
    asset: ({ header, params }) =>
      Effect.flatMap(params.file === searchIndexFile ? index : fileOf(params.file), (found) =>
        asset(header, found)
      ),
    llms: ({ header }) => Effect.map(site, (found) => file(header, found.llms(), textHeaders)),
    llmsFull: ({ header }) => Effect.map(site, (found) => file(header, found.llmsFull(), textHeaders))
  })
})
