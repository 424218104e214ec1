/**
 * The reader's preferences that this browser stores: theme and language. Neither is a secret.
 *
 * @module
 */
import { useSyncExternalStore } from "react"
import { type Language, languageOf } from "../texts/texts.ts"

/** The colour scheme: the system's, or a chosen one. */
export type Theme = "system" | "light" | "dark"

/** The themes, in the order in which they are offered. */
export const themes: ReadonlyArray<Theme> = ["system", "light", "dark"]

interface Preferences {
  readonly theme: Theme
  readonly language: Language
  /** Whether the language was chosen in this browser. */
  readonly isChosen: boolean
}

const listeners = new Set<() => void>()

/** Reads a value; null also if the browser's storage is turned off. */
const stored = (name: string): string | null => {
  try {
    return localStorage.getItem(`svc.${name}`)
  } catch {
    return null
  }
}

const store = (name: string, value: string): void => {
  try {
    localStorage.setItem(`svc.${name}`, value)
  } catch {
    // Without storage, the value applies until the page is left.
  }
}

const initialLanguage = (): Language =>
  languageOf(stored("language")) ??
  navigator.languages.map((tag) => languageOf(tag)).find((found) => found !== null) ??
  "en"

let preferences: Preferences = {
  theme: themes.find((one) => one === stored("theme")) ?? "system",
  language: initialLanguage(),
  isChosen: stored("language") !== null
}

const show = (): void => {
  const { dataset } = document.documentElement
  if (preferences.theme === "system") delete dataset["theme"]
  else dataset["theme"] = preferences.theme
}

show()

const change = (next: Partial<Preferences>): void => {
  preferences = { ...preferences, ...next }
  show()
  for (const listener of listeners) listener()
}

/** Chooses the theme. */
export const setTheme = (theme: Theme): void => {
  store("theme", theme)
  change({ theme })
}

/** Chooses the language. */
export const setLanguage = (language: Language): void => {
  store("language", language)
  change({ language, isChosen: true })
}

/** The account that was shown last, where the user starts the next time; null if there is none. */
export const lastAccount = (): string | null => stored("account")

/** Stores which account is shown. */
export const rememberAccount = (accountId: string): void => store("account", accountId)

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** The preferences, as they change. */
export const usePreferences = (): Preferences => useSyncExternalStore(subscribe, () => preferences)
