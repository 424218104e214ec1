/**
 * A message about the whole view or form, with an action if something can be done.
 *
 * @module
 */
import type { ReactNode } from "react"
import { useTexts } from "../../app/reader.tsx"
import type { ApiError } from "../../api/errors.ts"
import { classes } from "../../lib/classes.ts"
import { Button, ButtonLink } from "../form/Button.tsx"
import styles from "./Banner.module.css"
import { Icon } from "./Icon.tsx"

/** A banner. An error is announced to screen readers at once. */
export const Banner = ({
  action,
  children,
  tone = "neutral"
}: {
  readonly children: ReactNode
  readonly tone?: "neutral" | "good" | "warning" | "bad"
  readonly action?: ReactNode
}) => (
  <div className={classes(styles["banner"], styles[tone])} role={tone === "bad" ? "alert" : undefined}>
    <Icon name={tone === "good" ? "check" : tone === "neutral" ? "info" : "warning"} />
    <div className={styles["text"]}>{children}</div>
    {action}
  </div>
)

/**
 * Says why something could not be read, and offers to try again; the content shown stays. Without `onRetry`, it says why an
 * action failed.
 */
export const ErrorBanner = ({
  error,
  onRetry
}: {
  readonly error: ApiError
  readonly onRetry?: (() => void) | undefined
}) => {
  const { common, errors, installation } = useTexts()
  const right = error.details["right"]
  const isAccess = error.code === "users.access_required"
  const text = (): string => {
    if (isAccess) return installation.accessNeeded
    if (error.code === "users.right_missing" && typeof right === "string") return errors.noRight(right)
    const isUnreachable = error.status === 0
    if (!isUnreachable && error.status < 500 && error.code !== "unreadable") return error.message
    const what = isUnreachable ? errors.unreachable : errors.failed
    return `${what} ${onRetry === undefined ? errors.kept : errors.outdated}`
  }
  return (
    <Banner
      tone={error.isPassing ? "warning" : "bad"}
      action={
        isAccess ? (
          <ButtonLink isSmall icon="lock" to="/installation/companies">
            {installation.toAccess}
          </ButtonLink>
        ) : onRetry === undefined ? undefined : (
          <Button isSmall icon="retry" onClick={onRetry}>
            {common.retry}
          </Button>
        )
      }
    >
      {text()}
      {error.requestId !== null && error.status >= 500 && (
        <code className={styles["request"]}>{error.requestId}</code>
      )}
    </Banner>
  )
}
