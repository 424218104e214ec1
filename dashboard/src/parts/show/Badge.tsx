/**
 * A state in one or two words, with a colour for its tone.
 *
 * @module
 */
import type { ReactNode } from "react"
import { classes } from "../../lib/classes.ts"
import styles from "./Badge.module.css"

/** Whether something is good or bad. */
export type Tone = "good" | "warning" | "bad" | "neutral" | "accent"

/** A badge. */
export const Badge = ({
  children,
  tone = "neutral"
}: {
  readonly children: ReactNode
  readonly tone?: Tone
}) => <span className={classes(styles["badge"], styles[tone])}>{children}</span>
