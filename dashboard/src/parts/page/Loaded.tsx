/**
 * Shows what a screen has read: grey lines before, and why it could not be read.
 *
 * @module
 */
import type { ReactNode } from "react"
import type { ApiError } from "../../api/errors.ts"
import { ErrorBanner } from "./Banner.tsx"
import { LoadingLines } from "./Empty.tsx"
import { Missing } from "./Missing.tsx"

/** What was read, drawn by `children`. What is shown stays when reading it again fails. */
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
  /** What it is, a kind of the texts, for what an address or an entry names and that may be gone. */
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
