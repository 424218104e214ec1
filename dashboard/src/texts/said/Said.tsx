/**
 * Shows messages of the service, other than errors of calls, in the reader's language and in the terms of the screens.
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
      // Without a connection, the message is shown unchanged. The next message tries to load the translations again.
      loads.delete(language)
      return asItIs
    })
  loads.set(language, made)
  return made
}

/** The translator for the reader's language. Until it is loaded, texts of the service are returned unchanged. */
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
  /** The API field that the message concerns; null for none. */
  readonly field?: string | null
}

const Translated = ({ field = null, language, text }: SaidProps & { readonly language: Language }) => {
  const { nameOf, translate } = use(load(language))
  return field === null ? translate(text) : `${nameOf(field)}: ${translate(text)}`
}

/** The message. */
export const Said = (sentence: SaidProps) => {
  const { language } = useReader()
  return (
    <Suspense fallback={<Skeleton />}>
      <Translated language={language} {...sentence} />
    </Suspense>
  )
}
