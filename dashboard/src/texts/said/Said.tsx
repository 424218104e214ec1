/**
 * Shows what the service says in the reader's language and in the words of the screens, where it is no error of a call.
 *
 * @module
 */
import { Suspense, use, useEffect, useState } from "react"
import { useReader } from "../../app/reader.tsx"
import { Skeleton } from "../../parts/page/Empty.tsx"
import type { Language } from "../texts.ts"
import type { Words } from "./said.ts"

const asItIs: Words = { translate: (sentence) => sentence, nameOf: (field) => field }

const loads = new Map<Language, Promise<Words>>()

const loaded = new Map<Language, Words>()

const load = (language: Language): Promise<Words> => {
  const known = loads.get(language)
  if (known !== undefined) return known
  const made = import("./said.ts")
    .then(({ wordsIn }) => wordsIn(language))
    .then((words) => {
      loaded.set(language, words)
      return words
    })
    .catch(() => {
      // Without a connection it is shown as the service says it, until it is loaded another time.
      loads.delete(language)
      return asItIs
    })
  loads.set(language, made)
  return made
}

/** The words of the reader's language; those of the service until they are loaded. */
export const useWordsOfService = (): Words => {
  const { language } = useReader()
  const [words, setWords] = useState<readonly [Language, Words] | null>(null)
  useEffect(() => {
    let isCurrent = true
    void load(language).then((one) => {
      if (isCurrent) setWords([language, one])
    })
    return () => {
      isCurrent = false
    }
  }, [language])
  return words?.[0] === language ? words[1] : (loaded.get(language) ?? asItIs)
}

interface SaidProps {
  readonly text: string
  /** The field of the API that it is about; null for none. */
  readonly field?: string | null
}

const Translated = ({ field = null, language, text }: SaidProps & { readonly language: Language }) => {
  const { nameOf, translate } = use(load(language))
  return field === null ? translate(text) : `${nameOf(field)}: ${translate(text)}`
}

/** The sentence. */
export const Said = (sentence: SaidProps) => {
  const { language } = useReader()
  return (
    <Suspense fallback={<Skeleton />}>
      <Translated language={language} {...sentence} />
    </Suspense>
  )
}
