/**
 * The screen above the current one, for components that link to it.
 *
 * @module
 */
import type { LinkProps } from "@tanstack/react-router"
import { createContext } from "react"

/** A link to the screen above. */
export interface Back {
  readonly link: LinkProps
  readonly label: string
}

/** The screen above; null if there is none, and in dialogs, which are closed instead. */
export const BackContext = createContext<Back | null>(null)
