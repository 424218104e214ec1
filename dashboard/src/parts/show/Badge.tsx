/**
 * A state in one or two words, with a colour that says how it is.
 *
 * @module
 */
import type { ReactNode } from "react"
import { classes } from "../../lib/classes.ts"
import styles from "./Badge.module.css"

/** How something is. */
export type Tone = "good" | "warning" | "bad" | "neutral" | "accent"

/** A badge. */
export const Badge = ({
  children,
  tone = "neutral"
}: {
  readonly children: ReactNode
  readonly tone?: Tone
}) => <span className={classes(styles["badge"], styles[tone])}>{children}</span>
