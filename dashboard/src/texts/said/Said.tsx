/**
 * Shows what the service says in the reader's language, where it is no error of a call.
 *
 * @module
 */
import { Suspense, use } from "react"
import { useReader } from "../../app/reader.tsx"
import { Skeleton } from "../../parts/page/Empty.tsx"
import type { Language } from "../texts.ts"

type Translate = (sentence: string) => string

const asItIs: Translate = (sentence) => sentence

const loads = new Map<Language, Promise<Translate>>()

const load = (language: Language): Promise<Translate> => {
  const known = loads.get(language)
  if (known !== undefined) return known
  const made = import("./said.ts").then(
    ({ saidIn }) => saidIn(language),
    () => {
      // Without a connection it is shown as the service says it, until it is loaded another time.
      loads.delete(language)
      return asItIs
    }
  )
  loads.set(language, made)
  return made
}

const Translated = ({ language, text }: { readonly language: Language; readonly text: string }) =>
  use(load(language))(text)

/** The sentence. */
export const Said = ({ text }: { readonly text: string }) => {
  const { language } = useReader()
  return language === "en" ? (
    text
  ) : (
    <Suspense fallback={<Skeleton />}>
      <Translated language={language} text={text} />
    </Suspense>
  )
}
