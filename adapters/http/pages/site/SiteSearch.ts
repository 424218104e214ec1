/**
 * Builds the index that pages search in the browser, so that typing makes no requests.
 *
 * @module
 */
import { Effect } from "effect"
import MiniSearch from "minisearch"
import { promisify } from "node:util"
import { gzip } from "node:zlib"
import type { SectionText } from "./SiteMarkdown.ts"
import type { Asset } from "./SiteSources.ts"

/** A section of a page. */
export interface Searchable extends SectionText {
  /** The page's name and title. */
  readonly page: string
  readonly title: string
}

/** The name under which pages load the index. */
export const searchIndexFile = "search.json"

/** How many characters of a section's text the index contains for display. */
const excerptLength = 200

/** How many sections are indexed at a time. The process does other work in between. */
const chunkSize = 10

/** The options of the index. The browser loads it with the same options (`docs/viewer/site.js`). */
const options = {
  fields: ["title", "heading", "text"],
  storeFields: ["page", "title", "heading", "anchor", "excerpt"]
}

const compress = promisify(gzip)

/** The index of all sections, compressed. */
export const searchIndex = (sections: ReadonlyArray<Searchable>): Effect.Effect<Asset> =>
  Effect.promise(async () => {
    const index = new MiniSearch(options)
    const documents = sections.map((section, id) => ({
      ...section,
      id,
      excerpt: section.text.slice(0, excerptLength)
    }))
    await index.addAllAsync(documents, { chunkSize })
    const body = await compress(JSON.stringify(index))
    return { contentType: "application/json; charset=utf-8", bodies: { gzip: body } }
  })
