/**
 * What is shown instead of content: an empty state, or placeholders while loading.
 *
 * @module
 */
import type { ReactNode } from "react"
import { useTexts } from "../../app/reader.tsx"
import type { IconName } from "../../lib/icons.ts"
import styles from "./Empty.module.css"
import { Icon } from "./Icon.tsx"

/** Shown if there are no entries yet: what will appear here, and how to create the first one. */
export const EmptyState = ({
  action,
  children,
  icon = "inbox",
  isScreen = false,
  title
}: {
  readonly title: string
  readonly children?: ReactNode
  readonly icon?: IconName
  readonly action?: ReactNode
  /** Whether it fills a whole screen. */
  readonly isScreen?: boolean
}) => (
  <div className={styles["empty"]}>
    <Icon name={icon} size={24} />
    {isScreen ? <h1>{title}</h1> : <h2>{title}</h2>}
    {children !== undefined && <p>{children}</p>}
    {action}
  </div>
)

/** A grey bar instead of a text that is loading. */
export const Skeleton = ({ width = "8rem" }: { readonly width?: string }) => (
  <span className={styles["skeleton"]} style={{ width }} aria-hidden="true" data-loading />
)

/** The content of a screen that is loading: grey bars instead of text. */
export const LoadingLines = ({ count = 4 }: { readonly count?: number }) => {
  const { common } = useTexts()
  return (
    <div className={styles["loading"]} role="status" aria-label={common.loading}>
      {Array.from({ length: count }, (_, at) => (
        // The bars are all alike, so the index serves as the key.
        <Skeleton key={at} width={`${90 - ((at * 37) % 50)}%`} />
      ))}
    </div>
  )
}
