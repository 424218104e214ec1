/**
 * Reads the files of the documentation site: the Markdown in `docs/`, the files in `docs/viewer/` that pages load, and
 * screenshots. The folder `docs` is searched for beside this module and in every folder above it, in the source tree and in
 * the built package. A package must therefore contain `docs/` at its root or in `dist/`. Nothing needs to be copied or
 * generated.
 *
 * @module
 */
import { Data, Effect, FileSystem, Path, type PlatformError } from "effect"
import { promisify } from "node:util"
import { gzip } from "node:zlib"
import { indexPage } from "./SiteContents.ts"

/** A file that pages load: uncompressed, compressed, or both. */
export interface Asset {
  readonly contentType: string
  /** The bodies by their content coding. If the uncompressed body is missing, it is made from the gzip body. */
  readonly bodies: Partial<Readonly<Record<Coding, Uint8Array>>>
}

/** Content codings of HTTP (RFC 9110 8.4.1), `br` being Brotli. */
export type Coding = "br" | "gzip" | "identity"

/** The sources of the site. */
export interface Sources {
  /** Markdown by the page's name. */
  readonly pages: ReadonlyMap<string, string>
  /** Files by the name under which pages load them. */
  readonly assets: ReadonlyMap<string, Asset>
}

const contentTypes: Readonly<Record<string, string>> = {
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  png: "image/png"
}

/** No folder above this module contains the pages. */
class DocsMissing extends Data.TaggedError("DocsMissing") {
  override readonly message = "The pages of the documentation are not installed: no docs/index.md"
}

/** Finds the folder `docs` in a folder or those above it. */
const findFolder = (
  from: string
): Effect.Effect<string, DocsMissing | PlatformError.PlatformError, FileSystem.FileSystem | Path.Path> =>
  Effect.gen(function* () {
    const { exists } = yield* FileSystem.FileSystem
    const { dirname, join } = yield* Path.Path
    const candidate = join(from, "docs")
    if (yield* exists(join(candidate, `${indexPage}.md`))) return candidate
    const above = dirname(from)
    return above === from ? yield* new DocsMissing() : yield* findFolder(above)
  })

const compress = promisify(gzip)

/** The search library for the browser, from the installed package. */
const searchLibrary = Effect.gen(function* () {
  const { readFile } = yield* FileSystem.FileSystem
  const { fromFileUrl } = yield* Path.Path
  const source = yield* readFile(yield* fromFileUrl(new URL(import.meta.resolve("minisearch"))))
  const body = yield* Effect.promise(() => compress(source))
  return ["minisearch.js", { contentType: contentTypes["js"]!, bodies: { gzip: body } }] as const
})

/** Reads every file of the site. Fails if they are not installed. */
export const readSources = Effect.gen(function* () {
  const { readDirectory, readFile, readFileString } = yield* FileSystem.FileSystem
  const { basename, dirname, fromFileUrl, join } = yield* Path.Path
  const folder = yield* findFolder(dirname(yield* fromFileUrl(new URL(import.meta.url))))
  const viewer = join(folder, "viewer")
  const pages = (yield* readDirectory(folder)).filter((file) => file.endsWith(".md"))
  const screens = join(folder, "screens")
  const files = (yield* Effect.forEach([viewer, screens], (from) =>
    Effect.map(readDirectory(from), (names) => names.map((name) => join(from, name)))
  )).flat()
  const assets = files.flatMap((path) => {
    const file = basename(path)
    const gzipped = file.endsWith(".gz")
    const name = gzipped ? file.slice(0, -3) : file
    const contentType = contentTypes[name.slice(name.lastIndexOf(".") + 1)]
    return contentType === undefined ? [] : [{ path, name, contentType, gzipped }]
  })
  return {
    pages: new Map(
      yield* Effect.forEach(
        pages,
        (file) =>
          Effect.map(
            readFileString(join(folder, file)),
            (markdown) => [file.slice(0, -3), markdown] as const
          ),
        { concurrency: "unbounded" }
      )
    ),
    assets: new Map<string, Asset>([
      yield* searchLibrary,
      ...(yield* Effect.forEach(
        assets,
        ({ contentType, gzipped, name, path }) =>
          Effect.map(
            readFile(path),
            (body) => [name, { contentType, bodies: gzipped ? { gzip: body } : { identity: body } }] as const
          ),
        { concurrency: "unbounded" }
      ))
    ])
  } satisfies Sources
})
