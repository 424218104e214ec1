/**
 * What is shown where a screen cannot be: an unknown address, a defect, a version that is gone.
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

/** An address that leads nowhere. */
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

/** An address outside of the frame that leads nowhere. */
export const LostOutside = () => (
  <main>
    <Lost />
  </main>
)

/** A screen that failed. */
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
