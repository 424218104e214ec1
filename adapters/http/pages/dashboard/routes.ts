/**
 * Handles the routes of the dashboard. It reads the files at the first request and keeps them until shutdown. A path that
 * matches no file gets the page, whose script evaluates the path.
 *
 * @module
 */
import { Context, Effect, type FileSystem, type Path } from "effect"
import { describeDefect } from "../../../../core/shared/Defect.ts"
import { Problem } from "../../../../core/shared/Problem.ts"
import type { HandlerReply } from "../../edge/reply.ts"
import { bind } from "../../edge/Route.ts"
import { DashboardApi } from "../../schema/DashboardApi.ts"
import { makeFiles } from "../site/SiteReply.ts"
import { readDashboard } from "./DashboardFiles.ts"

/** Whether the dashboard is served (`SVC_DASHBOARD`). */
export const ServeDashboard = Context.Reference<boolean>("svc/http/ServeDashboard", {
  defaultValue: () => true
})

/** Only resources of this origin are loaded or run, and no script may create markup from strings. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "frame-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'"
].join("; ")

/** Sent with every file, because a file can also be opened as a page. */
const fileHeaders = { "content-security-policy": policy }

const pageHeaders = {
  ...fileHeaders,
  "cache-control": "no-store",
  "cross-origin-opener-policy": "same-origin",
  "referrer-policy": "same-origin"
}

/** The name of a file changes with its content. */
const assetHeaders = { ...fileHeaders, "cache-control": "public, max-age=31536000, immutable" }

/** The folder of the files with a hash in their names. */
const assetFolder = "assets/"

/** Redirects to the page's own URL, which ends with a slash. The page loads its files by absolute paths. */
const toPage = { _tag: "Reply", status: 308, headers: { location: "app/" }, body: "" } as const

const missing = Problem.of("common.not_found")

const load = Effect.catch(readDashboard, (cause) =>
  Effect.as(
    Effect.annotateLogs(Effect.logWarning("the dashboard cannot be read"), describeDefect(cause)),
    null
  )
)

/** The routes of the dashboard; none if it is turned off. */
export const dashboardRoutes = Effect.gen(function* () {
  if (!(yield* ServeDashboard)) return []
  const { asset } = makeFiles()
  const loaded = yield* Effect.cached(
    Effect.provideContext(load, yield* Effect.context<FileSystem.FileSystem | Path.Path>())
  )
  const built = Effect.flatMap(loaded, (found) => (found === null ? missing : Effect.succeed(found)))

  return bind(DashboardApi.groups.dashboard, {
    page: ({ header, params }) =>
      Effect.flatMap(built, ({ assets, index }): Effect.Effect<HandlerReply<never>, Problem> => {
        const path = params["*"]
        if (path === undefined) return Effect.succeed(toPage)
        const found = assets.get(path)
        if (found !== undefined)
          return asset(header, found, path.startsWith(assetFolder) ? assetHeaders : fileHeaders)
        // A missing script may belong to another version. The browser must not receive the page in place of a script.
        return path.startsWith(assetFolder) ? missing : asset(header, index, pageHeaders)
      })
  })
})
