/**
 * Handles the routes of the dashboard. It reads the files at the first request and keeps them until shutdown; paths that
 * name no file show the page, whose script reads the path.
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

/** Nothing but what this origin serves runs or is loaded, and no script makes markup of text. */
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

/** With every file: one that is opened by itself is a page, too. */
const fileHeaders = { "content-security-policy": policy }

const pageHeaders = {
  ...fileHeaders,
  "cache-control": "no-store",
  "cross-origin-opener-policy": "same-origin",
  "referrer-policy": "same-origin"
}

/** A file's name changes with its content. */
const assetHeaders = { ...fileHeaders, "cache-control": "public, max-age=31536000, immutable" }

/** The folder of the files whose names hold a hash. */
const assetFolder = "assets/"

/** The page loads its files by their full paths; its own address ends with a slash. */
const toPage = { _tag: "Reply", status: 308, headers: { location: "app/" }, body: "" } as const

const missing = Problem.of("common.not_found")

const load = Effect.catch(readDashboard, (cause) =>
  Effect.as(
    Effect.annotateLogs(Effect.logWarning("the dashboard cannot be read"), describeDefect(cause)),
    null
  )
)

/** The dashboard; no routes where it is turned off. */
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
        // A script of another version: the page in its place would be read as one.
        return path.startsWith(assetFolder) ? missing : asset(header, index, pageHeaders)
      })
  })
})
