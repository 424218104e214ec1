/**
 * The screen above the one that is shown, for what leads there from within it.
 *
 * @module
 */
import type { LinkProps } from "@tanstack/react-router"
import { createContext } from "react"

/** A screen to go back to. */
export interface Back {
  readonly link: LinkProps
  readonly label: string
}

/** The screen above; null where there is none, and in dialogs, which are closed. */
export const BackContext = createContext<Back | null>(null)
