/**
 * Gives components the texts and formats of the reader's language and time zone.
 *
 * @module
 */
import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from "react"
import { type Format, makeFormat } from "../lib/format.ts"
import type { Texts } from "../texts/en.ts"
import { type Language, loadTexts } from "../texts/texts.ts"
import { usePreferences } from "./preferences.ts"

interface Reader {
  readonly texts: Texts
  readonly format: Format
  readonly language: Language
  readonly setZone: (zone: string | null) => void
}

const ReaderContext = createContext<Reader | null>(null)

/** The browser's locale if it has that language, because it also names the reader's region; otherwise the language. */
const localeOf = (language: Language): string =>
  navigator.languages.find((tag) => tag.toLowerCase().startsWith(language)) ?? language

/** Languages that are written from right to left. */
const rightToLeft = new Set(["ar", "fa", "he", "ur"])

/** Loads the texts of the chosen language, and renders its children once they are loaded. */
export const ReaderProvider = ({ children }: { readonly children: ReactNode }) => {
  const { language } = usePreferences()
  const [loaded, setLoaded] = useState<{ readonly texts: Texts; readonly language: Language } | null>(null)
  const [zone, setZone] = useState<string | null>(null)
  useEffect(() => {
    let isCurrent = true
    void loadTexts(language).then((texts) => {
      if (isCurrent) setLoaded({ texts, language })
    })
    return () => {
      isCurrent = false
    }
  }, [language])
  useEffect(() => {
    document.documentElement.lang = language
    document.documentElement.dir = rightToLeft.has(language) ? "rtl" : "ltr"
  }, [language])
  const reader = useMemo(
    () =>
      loaded === null ? null : { ...loaded, format: makeFormat(localeOf(loaded.language), zone), setZone },
    [loaded, zone]
  )
  return reader === null ? null : <ReaderContext value={reader}>{children}</ReaderContext>
}

/** The texts, formats and language of the reader. */
export const useReader = (): Reader => {
  const reader = useContext(ReaderContext)
  if (reader === null) throw new Error("No reader is provided.")
  return reader
}

/** The texts of the reader's language. */
export const useTexts = (): Texts => useReader().texts

/** The formats of the reader's language and time zone. */
export const useFormat = (): Format => useReader().format
