/**
 * Loads the code of the navigation's screens in advance, while the page is idle.
 *
 * @module
 */
import { useQueryClient } from "@tanstack/react-query"
import { type AnyRoute, useRouter } from "@tanstack/react-router"
import { useEffect } from "react"
import { useNavigationAccount } from "../session.ts"
import { areasOf } from "./navigation.ts"

/** How long the page must have read nothing, and nobody have used it, to count as idle, in milliseconds. */
const idleMillis = 2_000

/** The events of use. Loading a screen in advance would delay the screen that the user opens. */
const uses = ["pointermove", "pointerdown", "keydown", "wheel"] as const

interface Connection {
  readonly saveData?: boolean
}

interface Loadable {
  readonly preload?: () => Promise<unknown>
}

/** Loads the screens one after another, unless the browser asks to save data. */
export const usePreloading = (): void => {
  const account = useNavigationAccount()
  const client = useQueryClient()
  const router = useRouter()
  useEffect(() => {
    const { connection } = navigator as { readonly connection?: Connection }
    if (account === null || connection?.saveData === true) return
    const places = areasOf(account)
      .flat()
      .map(({ to }) => to)
    let usedAt = -Infinity
    const noticeUse = () => {
      usedAt = performance.now()
    }
    const routes: Readonly<Record<string, AnyRoute | undefined>> = router.routesByPath
    let timer: ReturnType<typeof setTimeout> | undefined
    const next = async (): Promise<void> => {
      const isUsed = performance.now() - usedAt < idleMillis
      if (isUsed || client.isFetching() > 0 || !navigator.onLine) {
        timer = setTimeout(() => void next(), idleMillis)
        return
      }
      const place = places.shift()
      if (place === undefined) return
      const screen = routes[place]?.options.component as Loadable | undefined
      await screen?.preload?.().catch(() => undefined)
      timer = setTimeout(() => void next())
    }
    for (const use of uses) addEventListener(use, noticeUse, { passive: true })
    timer = setTimeout(() => void next(), idleMillis)
    return () => {
      clearTimeout(timer)
      for (const use of uses) removeEventListener(use, noticeUse)
    }
  }, [account, client, router])
}
