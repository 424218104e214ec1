/**
 * Reads the sources of the documentation and their code blocks.
 *
 * @module
 */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { Marked, type Tokens } from "marked"

const folder = join(import.meta.dirname, "../../docs")

/** The names of all sources, without `.md`. */
export const pageNames: ReadonlyArray<string> = readdirSync(folder)
  .filter((file) => file.endsWith(".md"))
  .map((file) => file.slice(0, -3))

/** The Markdown of a page. */
export const sourceOf = (name: string): string => readFileSync(join(folder, `${name}.md`), "utf8")

/** A code block. */
export interface Block {
  readonly page: string
  readonly language: string
  /** Why the tests do not run it, from a marker after the language; null if there is none. */
  readonly notRun: string | null
  readonly code: string
}

const marker = /^not-run: *(.*)$/

/** The code blocks of a page, in order. */
export const blocksOf = (page: string): ReadonlyArray<Block> =>
  new Marked()
    .lexer(sourceOf(page))
    .filter((token): token is Tokens.Code => token.type === "code")
    .map(({ lang, text }) => {
      const [language = "", ...rest] = (lang ?? "").split(" ")
      return { page, language, notRun: marker.exec(rest.join(" "))?.[1] ?? null, code: text }
    })

/** The only block of a page in a language that contains a string. */
export const blockWith = (page: string, language: string, text: string): string => {
  const found = blocksOf(page).filter((block) => block.language === language && block.code.includes(text))
  if (found.length !== 1) throw new Error(`${found.length} ${language} blocks of ${page} contain ${text}`)
  return found[0]!.code
}
