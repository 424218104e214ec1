/**
 * The keyboard shortcuts: the command palette, help, search, and `g` with a letter for each area.
 *
 * @module
 */
import { useNavigate } from "@tanstack/react-router"
import { useEffect, useRef } from "react"
import { press, type Shortcut, sequenceMillis } from "../../lib/shortcuts.ts"
import { useNavigationAccount, useSession } from "../session.ts"
import { areasOf, installationScreen } from "./navigation.ts"

const isField = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName))

const focusSearch = (): void => document.querySelector<HTMLElement>("[data-list-search]")?.focus()

/** Listens for the shortcuts. */
export const useShortcuts = ({
  loadPalette,
  onHelp,
  onPalette
}: {
  /** Loads in advance what `onPalette` shows. */
  readonly loadPalette: () => unknown
  readonly onPalette: () => void
  readonly onHelp: () => void
}): void => {
  const account = useNavigationAccount()
  const { operator } = useSession()
  const navigate = useNavigate()
  const shortcuts: ReadonlyArray<Shortcut> = [
    { keys: "mod+k", run: onPalette },
    { keys: "?", run: onHelp },
    { keys: "/", run: focusSearch },
    ...(operator
      ? [
          {
            keys: `g ${installationScreen.key}`,
            run: () => void navigate({ to: installationScreen.to })
          }
        ]
      : []),
    ...(account === null
      ? []
      : areasOf(account)
          .flat()
          .map(({ key, to }) => ({
            keys: `g ${key}`,
            run: () => void navigate({ to, params: { accountId: account.id } })
          })))
  ]
  const latest = useRef({ loadPalette, shortcuts })
  useEffect(() => {
    latest.current = { loadPalette, shortcuts }
  })
  useEffect(() => {
    let begun = ""
    let timer: ReturnType<typeof setTimeout> | undefined
    const listen = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.repeat) return
      // The palette starts loading at once, so that what is typed right after Ctrl K is not lost.
      if (event.key === "Control" || event.key === "Meta") latest.current.loadPalette()
      // While a dialog is open, the page behind it takes no shortcuts.
      if (document.querySelector('[role="dialog"]') !== null) return
      const { altKey, ctrlKey, key, metaKey } = event
      const next = press(latest.current.shortcuts, begun, {
        altKey,
        ctrlKey,
        key,
        metaKey,
        isTyping: isField(event.target)
      })
      clearTimeout(timer)
      begun = next.begun
      if (begun !== "") timer = setTimeout(() => (begun = ""), sequenceMillis)
      if (next.found === null) return
      event.preventDefault()
      next.found.run()
    }
    addEventListener("keydown", listen)
    return () => {
      clearTimeout(timer)
      removeEventListener("keydown", listen)
    }
  }, [])
}
