/**
 * Makes hooks for texts that only some screens load.
 *
 * @module
 */
import { isolating } from "../lib/isolate.ts"
import type { Language } from "../texts/texts.ts"
import { useReader } from "./reader.tsx"

/** Makes a hook that returns a set of texts in the reader's language. */
export const textsIn = <Texts extends object>(
  languages: Readonly<Record<Language, Texts>>
): (() => Texts) => {
  const made = isolating(languages)
  return () => made[useReader().language]
}
