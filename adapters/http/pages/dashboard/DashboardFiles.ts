/**
 * Reads the built dashboard: the files of `dashboard/dist`, each in its compressed forms. The folder is searched for in the
 * folders above this module, both in the source tree and in the built package.
 *
 * @module
 */
import { Clock, Effect, FileSystem, Option, Path, type PlatformError, Schema } from "effect"
import type { Asset, Coding } from "../site/SiteSources.ts"

/** The built dashboard. */
export interface DashboardFiles {
  readonly index: Asset
  /** Files by their path relative to the page, such as `assets/index-C3x1.js`. */
  readonly assets: ReadonlyMap<string, Asset>
}

const indexFile = "index.html"

const contentTypes: Readonly<Record<string, string>> = {
  css: "text/css; charset=utf-8",
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  svg: "image/svg+xml",
  woff2: "font/woff2"
}

const codings: Readonly<Record<string, Coding>> = { ".br": "br", ".gz": "gzip" }

/** Finds the folder of the built dashboard in a folder or those above it; null if it is not built. */
const findFolder = (
  from: string
): Effect.Effect<string | null, PlatformError.PlatformError, FileSystem.FileSystem | Path.Path> =>
  Effect.gen(function* () {
    const { exists } = yield* FileSystem.FileSystem
    const { dirname, join } = yield* Path.Path
    const candidate = join(from, "dashboard", "dist")
    if (yield* exists(join(candidate, indexFile))) return candidate
    const above = dirname(from)
    return above === from ? null : yield* findFolder(above)
  })

const folder = Effect.gen(function* () {
  const { dirname, fromFileUrl } = yield* Path.Path
  return yield* findFolder(dirname(yield* fromFileUrl(new URL(import.meta.url))))
})

/** Whether the dashboard is built. */
export const isBuilt = Effect.map(folder, (found) => found !== null)

/** Lists the files of the previous build, which `dashboard/build.mjs` keeps for pages that are open during an upgrade. */
const formerFile = "former.json"

/** How long the files of the previous build are served after they were replaced, in milliseconds. */
const formerMillis = 86_400_000

const Former = Schema.fromJsonString(
  Schema.Struct({ replacedAt: Schema.Finite, files: Schema.Array(Schema.String) })
)

/** The files of the previous build that are no longer served. */
const expiredFiles = Effect.fnUntraced(function* (path: string) {
  const files = yield* FileSystem.FileSystem
  if (!(yield* files.exists(path))) return []
  const former = Schema.decodeUnknownOption(Former)(yield* files.readFileString(path))
  const now = yield* Clock.currentTimeMillis
  return Option.match(former, {
    onNone: () => [],
    onSome: (one) => (now - one.replacedAt < formerMillis ? [] : one.files)
  })
})

/** Reads every file of the dashboard; null if it is not built. */
export const readDashboard = Effect.gen(function* () {
  const files = yield* FileSystem.FileSystem
  const { join, sep } = yield* Path.Path
  const found = yield* folder
  if (found === null) return null
  const expired = new Set(yield* expiredFiles(join(found, formerFile)))
  const assets = new Map<string, Asset>()
  for (const path of yield* files.readDirectory(found, { recursive: true })) {
    const ending = path.slice(-3)
    const coding = codings[ending] ?? "identity"
    const name = (coding === "identity" ? path : path.slice(0, -3)).split(sep).join("/")
    const contentType = contentTypes[name.slice(name.lastIndexOf(".") + 1)]
    if (contentType === undefined || expired.has(path.slice(path.lastIndexOf(sep) + 1))) continue
    const body = yield* files.readFile(join(found, path))
    assets.set(name, { contentType, bodies: { ...assets.get(name)?.bodies, [coding]: body } })
  }
  const index = assets.get(indexFile)
  if (index === undefined) return null
  assets.delete(indexFile)
  return { index, assets } satisfies DashboardFiles
})
