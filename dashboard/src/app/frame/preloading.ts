/**
 * Loads the screens of the navigation in advance, while the page is idle.
 *
 * @module
 */
import { useQueryClient } from "@tanstack/react-query"
import { useRouter } from "@tanstack/react-router"
import { useEffect } from "react"
import { useNavigationAccount } from "../session.ts"
import { areasOf } from "./navigation.ts"

/** How long the page must have read nothing to count as idle, in milliseconds. */
const idleMillis = 2_000

interface Connection {
  readonly saveData?: boolean
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
      .map(({ to }) => ({ to, params: { accountId: account.id } }))
    let timer: ReturnType<typeof setTimeout> | undefined
    const next = async (): Promise<void> => {
      if (client.isFetching() > 0 || !navigator.onLine) {
        timer = setTimeout(() => void next(), idleMillis)
        return
      }
      const place = places.shift()
      if (place === undefined) return
      await router.preloadRoute(place).catch(() => undefined)
      timer = setTimeout(() => void next())
    }
    timer = setTimeout(() => void next(), idleMillis)
    return () => {
      clearTimeout(timer)
    }
  }, [account, client, router])
}
