/**
 * Shows what a screen has read: placeholders while loading, or the error.
 *
 * @module
 */
import type { ReactNode } from "react"
import type { ApiError } from "../../api/errors.ts"
import { ErrorBanner } from "./Banner.tsx"
import { LoadingLines } from "./Empty.tsx"
import { Missing } from "./Missing.tsx"

/** Renders what was read with `children`. It stays visible if reading it again fails. */
export const Loaded = <Value,>({
  children,
  query: { data, error, refetch },
  thing
}: {
  readonly query: {
    readonly data: Value | undefined
    readonly error: ApiError | null
    readonly refetch: () => unknown
  }
  /** The kind of thing (a key of the texts), for something named in the URL or in an entry that may no longer exist. */
  readonly thing?: string
  readonly children: (value: Value) => ReactNode
}) => {
  if (error?.status === 404 && thing !== undefined) return <Missing thing={thing} />
  return (
    <>
      {error !== null && <ErrorBanner error={error} onRetry={() => void refetch()} />}
      {data === undefined ? error === null && <LoadingLines count={6} /> : children(data)}
    </>
  )
}
