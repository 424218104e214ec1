/**
 * Reports that data beside the screen's own content could not be read (`useExtra`), and offers to try again.
 *
 * @module
 */
import { type Query, useQueryClient } from "@tanstack/react-query"
import { useCallback, useSyncExternalStore } from "react"
import { ApiError } from "../../api/errors.ts"
import { ErrorBanner } from "../../parts/page/Banner.tsx"

const isFailed = ({ meta, state }: Query): boolean => meta?.["isExtra"] === true && state.status === "error"

/** The banner, shown while such a read has failed. */
export const FailedExtras = () => {
  const cache = useQueryClient().getQueryCache()
  const failed = () => cache.findAll({ type: "active", predicate: isFailed })
  const error = useSyncExternalStore(
    useCallback((listener) => cache.subscribe(listener), [cache]),
    () => failed()[0]?.state.error ?? null
  )
  if (!(error instanceof ApiError)) return null
  return (
    <ErrorBanner error={error} onRetry={() => void Promise.all(failed().map((query) => query.fetch()))} />
  )
}
