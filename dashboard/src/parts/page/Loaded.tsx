/**
 * Shows what a screen has read: grey lines before, and why it could not be read.
 *
 * @module
 */
import type { ReactNode } from "react"
import type { ApiError } from "../../api/errors.ts"
import { useTexts } from "../../app/reader.tsx"
import { ErrorBanner } from "./Banner.tsx"
import { EmptyState, LoadingLines } from "./Empty.tsx"

/** What was read, drawn by `children`. What is shown stays when reading it again fails. */
export const Loaded = <Value,>({
  children,
  query: { data, error, refetch }
}: {
  readonly query: {
    readonly data: Value | undefined
    readonly error: ApiError | null
    readonly refetch: () => unknown
  }
  readonly children: (value: Value) => ReactNode
}) => {
  const { common } = useTexts()
  if (error?.status === 404)
    return (
      <EmptyState icon="search" title={common.notFound}>
        {common.notFoundText}
      </EmptyState>
    )
  return (
    <>
      {error !== null && <ErrorBanner error={error} onRetry={() => void refetch()} />}
      {data === undefined ? error === null && <LoadingLines count={6} /> : children(data)}
    </>
  )
}
