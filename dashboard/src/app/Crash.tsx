/**
 * What is shown instead of a screen: for an unknown address, for a defect, and for a version that is no longer served.
 *
 * @module
 */
import { useRouter } from "@tanstack/react-router"
import { ApiError } from "../api/errors.ts"
import { Button, ButtonLink } from "../parts/form/Button.tsx"
import { EmptyState } from "../parts/page/Empty.tsx"
import { ErrorBanner } from "../parts/page/Banner.tsx"
import { useTexts } from "./reader.tsx"
import styles from "./Crash.module.css"

/** The page for an unknown address. */
export const Lost = () => {
  const { common } = useTexts()
  return (
    <EmptyState
      isScreen
      icon="search"
      title={common.notFound}
      action={<ButtonLink to="/">{common.home}</ButtonLink>}
    >
      {common.notFoundText}
    </EmptyState>
  )
}

/** The page for an unknown address outside the frame. */
export const LostOutside = () => (
  <main>
    <Lost />
  </main>
)

/** The page for a screen that failed. */
export const Crash = ({ error, reset }: { readonly error: unknown; readonly reset: () => void }) => {
  const router = useRouter()
  const texts = useTexts()
  const retry = () => {
    reset()
    void router.invalidate()
  }
  if (error instanceof ApiError) {
    return (
      <div className={styles["error"]}>
        <ErrorBanner error={error} onRetry={retry} />
      </div>
    )
  }
  return (
    <EmptyState
      isScreen
      icon="warning"
      title={texts.errors.crashed}
      action={
        <Button icon="retry" onClick={retry}>
          {texts.common.retry}
        </Button>
      }
    >
      {texts.errors.crashedText}
    </EmptyState>
  )
}
