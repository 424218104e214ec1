/**
 * The files of the documentation site: the Markdown of `docs/`, and the reference viewer in `docs/viewer/`. They are
 * read where they lie, from the source tree as from the built package: the folder `docs` is looked for beside this
 * module and in every folder above it, so a package has to hold `docs/` at its root (or under `dist/`) and nothing has
 * to be copied or generated for the site to work.
 *
 * @module
 */
import { readdir, readFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { indexPage } from "./SiteContents.ts"

/** A file that pages load. */
export interface Asset {
  readonly contentType: string
  readonly body: Uint8Array
  /** Whether the body is compressed by gzip. */
  readonly gzipped: boolean
}

/** Everything the site is made of. */
export interface Sources {
  /** Markdown by the page's name. */
  readonly pages: ReadonlyMap<string, string>
  /** By the name pages load it under. */
  readonly assets: ReadonlyMap<string, Asset>
}

const contentTypes: Readonly<Record<string, string>> = {
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8"
}

const isFolderOfPages = (folder: string): Promise<boolean> =>
  readFile(join(folder, `${indexPage}.md`)).then(
    () => true,
    () => false
  )

/** The folder `docs` beside a folder or above it. */
const findFolder = async (from: string): Promise<string> => {
  const candidate = join(from, "docs")
  if (await isFolderOfPages(candidate)) return candidate
  const above = dirname(from)
  if (above === from) throw new Error("The pages of the documentation are not installed: no docs/index.md")
  return findFolder(above)
}

const assetOf = async (folder: string, file: string): Promise<readonly [string, Asset] | null> => {
  const gzipped = file.endsWith(".gz")
  const name = gzipped ? file.slice(0, -3) : file
  const contentType = contentTypes[name.slice(name.lastIndexOf(".") + 1)]
  if (contentType === undefined) return null
  return [name, { contentType, body: await readFile(join(folder, file)), gzipped }]
}

/** Reads every file of the site; rejects when they are not installed. */
export const readSources = async (): Promise<Sources> => {
  const folder = await findFolder(dirname(fileURLToPath(import.meta.url)))
  const viewer = join(folder, "viewer")
  const [files, viewerFiles] = await Promise.all([readdir(folder), readdir(viewer)])
  const pages = files
    .filter((file) => file.endsWith(".md"))
    .map(async (file) => [file.slice(0, -3), await readFile(join(folder, file), "utf8")] as const)
  const assets = await Promise.all(viewerFiles.map((file) => assetOf(viewer, file)))
  return {
    pages: new Map(await Promise.all(pages)),
    assets: new Map(assets.filter((asset) => asset !== null))
  }
}
